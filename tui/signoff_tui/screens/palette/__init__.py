"""The palette: every action of a screen, chosen by its name."""
