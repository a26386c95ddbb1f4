"""What bookmark files have in common, whoever wrote them: folders, addresses, tags, dates and notes."""
