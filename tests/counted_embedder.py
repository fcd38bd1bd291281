"""An embedder that notes what it is asked, around a real one. No claims here."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from resolvers.answers.embedder import Vectors
from resolvers.answers.faults import ModelFault
from resolvers.answers.hashed import Hashed


@dataclass
class Noting:
    """The hashed embedder, and every text it was given."""

    id: str = "noting-1-768"
    model: str = "noting"
    mode: str = "lexical"
    dimensions: int = 768
    asked: list[str] = field(default_factory=list)
    is_away: bool = False
    hashed: Hashed = field(default_factory=Hashed)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts. Raises: ModelFault, while it is away."""
        if self.is_away:
            raise ModelFault("It is away.")
        self.asked += texts
        return self.hashed.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector
