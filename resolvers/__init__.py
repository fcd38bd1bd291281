"""The studio's features, and the GraphQL roots that lead to them."""
