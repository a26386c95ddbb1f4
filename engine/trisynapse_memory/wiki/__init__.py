"""Claims, quotes and sources in, wiki pages and proposed changes out. Nothing is read from the log here."""
