"""What is computed from content. Knows no stored operation and no bridge."""
