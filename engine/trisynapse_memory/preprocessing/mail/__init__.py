"""What the readers of mail share: a letter as its file tells it, its text with quotes told apart, its document."""
