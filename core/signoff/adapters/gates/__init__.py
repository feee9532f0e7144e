"""The parts that gates share, which stand between a client and a program that exchange lines of JSON-RPC.

A gate reads what passes, holds the few messages that a person has to approve, and mirrors nothing. What two
readers could take for two things is not passed on.
"""
