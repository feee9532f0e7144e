"""One package per agent framework; importing it needs the extra of the same name."""
