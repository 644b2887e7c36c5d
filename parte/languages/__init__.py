"""The languages that join PARTElang: how they are found, and those that this project brings along."""
