"""A folder of corpora in, a report of quality, speed and size out. Nothing of the engine depends on it."""
