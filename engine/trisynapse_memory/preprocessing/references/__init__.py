"""Bibliographies in any format in, members of one kind out; the loaders of each format share what lies here."""
