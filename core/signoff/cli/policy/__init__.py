"""`signoff policy`: tries out the rules of a settings file before an agent uses them."""
