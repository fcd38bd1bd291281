"""What is made while the service starts is not looked through again."""

import gc

import pytest

from studiograph.cli import without_collection


def test_no_garbage_is_collected_at_a_start_and_what_it_made_is_left_out_later() -> None:
    before = gc.get_freeze_count()
    with without_collection():
        assert not gc.isenabled()
        made = [[number] for number in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(made)
    gc.unfreeze()


def test_garbage_is_collected_again_after_a_start_that_failed() -> None:
    with pytest.raises(ValueError, match="broken"), without_collection():
        raise ValueError("broken")
    assert gc.isenabled()
    gc.unfreeze()
