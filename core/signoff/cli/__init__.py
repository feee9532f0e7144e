"""The command line: `signoff <verb>`; `signoff` alone opens the screen.

`main` is the entry point and loads nothing heavy. Each verb is a module; output goes through `output`, and a
command ends with one of the codes in `exit_codes`.
"""
