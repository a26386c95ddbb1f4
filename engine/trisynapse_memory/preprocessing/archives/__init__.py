"""What the readers of archives share: names made safe, limits kept, zip and tar behind one shape."""
