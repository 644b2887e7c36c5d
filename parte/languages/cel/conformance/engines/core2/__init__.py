"""CORE2, the engine in Java behind the source of CEL's distribution, as a foreign engine. Its jar is the user's."""
