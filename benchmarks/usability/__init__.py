"""The usability targets, UT-01 to UT-36: each is measured, and one table says what came out."""
