"""Probes of the sandbox for commands: what a hostile command may try, tried.

Each probe is run without a sandbox first: if nothing comes of it there, it proves nothing here. Then it is run
through ``signoff sandbox exec``. What came of it is judged from outside: files that changed, listeners that heard
something, processes that ended, secrets that the command could say.

    python -m probes [ID ...] [--network]
"""
