"""Approvals for AI agents."""
