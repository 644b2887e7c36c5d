"""Drawings of the network of a program: the text of the nodes, their places, and the two formats."""

from parte.drawing.dot import draw_dot as draw_dot
from parte.drawing.svg import draw_svg as draw_svg
