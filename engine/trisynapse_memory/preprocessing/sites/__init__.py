"""Sites whose pages are more than their HTML: one leaf each, loaded by name and imported by nobody."""
