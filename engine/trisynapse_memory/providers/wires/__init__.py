"""What the languages of model services have in common: one exchange, its faults, retries, streams and prices."""
