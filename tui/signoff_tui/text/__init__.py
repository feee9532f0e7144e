"""Lines of styled text, made from state; no widgets."""
