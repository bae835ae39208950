"""Files are read in this process, but where a test is about the process they are read in."""

import pickle
from collections.abc import Callable, Iterator

import pytest

from interchange.files import read_apart
from rulesdata.operations import sent_catalogues
from warbands.exchange.foreign import reader

ABOUT_THE_PROCESS = {"test_reading_costs"}


def read_here(
    _limits: object, read: Callable[..., object], *sent: object, **_: object
) -> object:
    """Read as the process does, which is sent a pickle and answers with one."""
    read, sent = pickle.loads(pickle.dumps((read, sent)))
    return pickle.loads(pickle.dumps(read(*sent)))


@pytest.fixture(scope="module", autouse=True)
def _read_here(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.path.stem not in ABOUT_THE_PROCESS:
            for module in (sent_catalogues, reader):
                patch.setattr(module, "read_apart", read_here)
        yield


@pytest.fixture
def in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in a process after all."""
    for module in (sent_catalogues, reader):
        monkeypatch.setattr(module, "read_apart", read_apart)
