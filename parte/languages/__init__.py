"""How languages join PARTE: the record of one, how they are found, and the guests that come along, a folder each."""
