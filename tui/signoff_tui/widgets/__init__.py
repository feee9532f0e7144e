"""Widgets that draw lines of safe text. None of them decides anything or talks to the queue."""
