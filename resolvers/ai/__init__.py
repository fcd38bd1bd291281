"""Search, chat, intent and embeddings as one service; loads the models in the background."""
