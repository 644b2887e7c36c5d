"""What the page of the playground asks of the reference, which runs beside it in the browser: JSON in, JSON out."""
