"""CORE2, the engine in Java of the source of CEL's distribution, as a foreign engine. The user provides its jar."""
