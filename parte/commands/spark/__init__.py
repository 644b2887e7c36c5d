"""The commands of `parte spark`."""
