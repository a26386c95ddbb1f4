"""Who does the work of models, whether they may be asked now, and what they may be shown."""
