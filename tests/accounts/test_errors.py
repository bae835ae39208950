"""The one hierarchy of refusals: the sentences of stale things, and what pages answer."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse

from accounts.errors import (
    Fault,
    FaultyDocument,
    KeyReused,
    NotAllowed,
    NotFound,
    Refusal,
    Stale,
    StaleResult,
    UnknownCode,
    WrongState,
)
from config.middleware import RefusalPageMiddleware

WARBAND = (
    "Somebody changed this warband after you opened it: you saw version 3, now it is version 5. "
    "Reload the page and make your change again."
)
EVENT = (
    "Somebody else changed this event after you opened it: you saw version 3, now it is version 5. "
    "Reload the page, then decide."
)
RESULT = (
    "Somebody changed the result after you opened it: you saw step 3, now it is step 5. "
    "Reload the page, then decide."
)


@pytest.mark.parametrize("stale,what,sentence", [
    (Stale("warband", 5, 3), "warband", WARBAND),
    (Stale("event", 5, 3), "event", EVENT),
    (StaleResult(5, 3), "result", RESULT),
    (Stale("club", "b", "a", "Changed."), "club", "Changed."),
])  # fmt: skip
def test_a_stale_thing_says_what_changed_and_where_it_stands(stale, what, sentence):
    assert isinstance(stale, Refusal)
    assert (stale.what, stale.message, str(stale), stale.field) == (
        what, sentence, sentence, "",
    )  # fmt: skip


def test_versions_are_kept_as_they_were_given():
    stale = Stale("warband", 5, 3)
    assert (stale.current, stale.expected) == (5, 3)


def test_a_wrong_state_is_told_at_the_status():
    assert WrongState("It is over.").field == "status"


def test_a_faulty_document_says_the_first_three_faults():
    faults = [Fault(f"warriors[{n}]", f"{n} is wrong.") for n in range(4)]
    error = FaultyDocument(faults)
    assert error.faults == tuple(faults)
    assert error.message == "0 is wrong. 1 is wrong. 2 is wrong."


@pytest.mark.parametrize("raised,answer", [
    (NotFound("battle"), Http404),
    (NotAllowed("Not theirs."), PermissionDenied),
    (Refusal("No."), None),
    (Stale("event", 5, 3), None),
    (WrongState("Over."), None), (KeyReused(), None),
    (UnknownCode("No club has it.", field="code"), None),
    (LookupError("x"), None),
])  # fmt: skip
def test_pages_answer_what_is_not_there_and_what_is_not_theirs(rf, raised, answer):
    middleware = RefusalPageMiddleware(lambda request: HttpResponse())
    if answer is None:
        assert middleware.process_exception(rf.get("/"), raised) is None
        return
    with pytest.raises(answer):
        middleware.process_exception(rf.get("/"), raised)
