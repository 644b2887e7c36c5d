"""The functions that the page of the playground calls in the reference, which runs beside it in the browser: JSON
in, JSON out."""
