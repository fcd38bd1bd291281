"""The paths of the repository's folders."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "content"
SUPPORT = ROOT / "tests" / "support"
VECTORS = ROOT / "tests" / "vectors"
MODEL_CACHE = ROOT / ".pytest_cache" / "models"
"""What the embedded model's weights and the sample's passages were made into by an earlier run."""
