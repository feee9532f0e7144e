"""The details screen: all facts about one request besides its content."""
