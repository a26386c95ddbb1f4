"""A question in, ranked candidates out: planning, routes and ranking. No record is read and nothing is written here."""
