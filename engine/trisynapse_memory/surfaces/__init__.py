"""What people and other programs hold in their hands: the command line today."""
