"""What lies behind a web address: a page, a paper with what catalogues say of it, a video. Nothing is stored here."""
