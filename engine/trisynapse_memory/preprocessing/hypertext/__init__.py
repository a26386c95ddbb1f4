"""What readers of markup share: formulas, what a page says of itself, and which of it is the article."""
