"""Claims about who the studio is, and their lookup in DNS and ENS."""
