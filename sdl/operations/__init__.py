"""The stored documents, and what is compiled from them."""
