"""What must be asked, and how much harm a call could do."""
