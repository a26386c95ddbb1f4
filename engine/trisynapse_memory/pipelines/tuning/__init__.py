"""Learning from use: what she opened and marked in, weights that rank it higher out, on her word only."""
