"""How a question or a draft meets the vault: found, judged, answered, asked again. Only query runs are written."""
