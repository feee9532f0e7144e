"""One module per agent framework. Importing one needs the extra of the same name."""
