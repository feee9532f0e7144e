"""One package per agent framework; to run it needs the extra of the same name."""
