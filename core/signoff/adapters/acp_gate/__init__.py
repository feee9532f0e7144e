"""The gate between an editor and an agent of the Agent Client Protocol.

It asks before what an agent wants to do: it answers what the agent asks permission for, and holds what the agent
would have the editor do. The rest passes byte by byte.

Format: https://agentclientprotocol.com, schema 1.19.
"""
