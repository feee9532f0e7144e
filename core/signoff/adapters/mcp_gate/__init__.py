"""The gate between a host of MCP and a server, which holds calls of tools until they are approved.

It reads what passes as JSON-RPC, knows one method by name, and mirrors nothing: whatever the two sides agree on,
in any version of the protocol, stays between them. What two readers could take for two things is not passed on.
"""
