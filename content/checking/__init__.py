"""What is wrong with content, where, and what would mend it."""
