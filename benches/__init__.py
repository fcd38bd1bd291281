"""How fast it delivers, measured side by side with other servers."""
