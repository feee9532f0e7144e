"""The document view: layout, lines, syntax colors and search."""
