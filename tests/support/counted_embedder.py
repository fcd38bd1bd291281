"""An embedder that records the texts it is given and hashes them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.hashing import HashingEmbedder


@dataclass
class Noting:
    """The hashed embedder, and every text it was given."""

    id: str = "noting-1-768"
    model: str = "noting"
    mode: str = "lexical"
    dimensions: int = 768
    asked: list[str] = field(default_factory=list)
    is_away: bool = False
    hashed: HashingEmbedder = field(default_factory=HashingEmbedder)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts. Raises: ModelFault, while it is away."""
        if self.is_away:
            raise ModelError("It is away.")
        self.asked += texts
        return self.hashed.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector
