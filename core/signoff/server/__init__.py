"""Approvals over HTTP and WebSocket, and the runs of hosted agents: ``signoff serve``."""
