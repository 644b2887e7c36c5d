"""Drawing the network of a program: what is written into the nodes, where they stand, and the two formats."""

from parte.drawing.dot import draw_dot as draw_dot
from parte.drawing.svg import draw_svg as draw_svg
