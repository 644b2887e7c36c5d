"""The names of a program, wherever they stand and whatever is wrong with it: what they stand for, where that is
declared, and what else could stand in their place. They are read off the tokens, so a text may be unfinished."""
