"""The commands: each module has `add(commands)` and `run(arguments, settings) -> exit code`."""
