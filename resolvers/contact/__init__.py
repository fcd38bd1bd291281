"""Messages to the human: composing, delivering once, and reading the inbox."""
