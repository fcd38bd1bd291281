"""The commands, one module each, whose `command` is a click command that returns an exit code."""
