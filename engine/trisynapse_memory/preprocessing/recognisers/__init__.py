"""What reads the words of a picture, one file each; loaded by name, imported by nobody."""
