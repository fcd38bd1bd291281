"""Search, chat, intent and embeddings as one service, whose models are loaded when needed."""
