"""Messages to the human: composed, delivered once, and kept in the inbox."""
