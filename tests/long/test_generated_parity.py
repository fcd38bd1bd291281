"""Generated studios, two hundred at full size, each of which says the same on all its surfaces."""

from pathlib import Path

import pytest
from generated_studios import write_generated_studio
from surface_checks import compared, exported_to, served
from webhook_server import SCALE

from sdl.runner import Operations

TENS = range(2 * SCALE)


@pytest.mark.parametrize("ten", TENS)
def test_ten_generated_studios_say_the_same_on_every_surface(
    ten: int, tmp_path: Path, operations: Operations
) -> None:
    for seed in range(1000 + 10 * ten, 1010 + 10 * ten):
        studio = tmp_path / str(seed)
        service = served(write_generated_studio(studio / "content", seed), operations)
        lines = compared(service, operations, export=exported_to(studio / "public", service))
        assert not any("not compared;" in line for line in lines)
