"""The demo of `signoff demo`: a throw-away project and agents that work on it.

The agents are real PydanticAI agents with real tools; only the language model behind each is a script, so that
nothing leaves the machine.
"""
