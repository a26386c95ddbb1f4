"""Records of the log in, projections that can be searched out; nothing here is truth, all of it can be rebuilt."""
