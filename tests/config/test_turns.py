"""A turn comes in the order of asking, and always comes back."""

from collections import deque
from threading import Event, Semaphore, Thread

import pytest

from config.sqlite3 import base as module
from config.sqlite3.base import Turns, turns_at

SECONDS = 60


class Holder:
    """Stands for a connection."""


class ToldQueue(deque):
    """A queue that says when somebody has come."""

    def __init__(self):
        super().__init__()
        self.came = Semaphore(0)

    def append(self, entry):
        super().append(entry)
        self.came.release()


def is_free(turns):
    """Whether somebody new gets the turn at once. Gives it back."""
    newcomer = Holder()
    try:
        return turns.take(newcomer, 0)
    finally:
        turns.give(newcomer)


def test_turns_come_in_the_order_of_asking():
    turns, first, order = Turns(), Holder(), []
    turns._queue = queue = ToldQueue()
    assert turns.take(first, 0)
    assert queue.came.acquire(timeout=SECONDS)

    def write(number):
        me = Holder()
        if turns.take(me, SECONDS):
            order.append(number)
            turns.give(me)

    threads = [Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
        assert queue.came.acquire(timeout=SECONDS)
    assert order == []
    turns.give(first)
    for thread in threads:
        thread.join(SECONDS)
    assert order == list(range(20))
    assert is_free(turns)


def test_one_who_comes_back_queues_behind_those_who_wait():
    turns, first, second = Turns(), Holder(), Holder()
    turns._queue = queue = ToldQueue()
    assert turns.take(first, 0)
    assert queue.came.acquire(timeout=SECONDS)
    thread = Thread(target=turns.take, args=(second, SECONDS))
    thread.start()
    assert queue.came.acquire(timeout=SECONDS)
    turns.give(first)
    assert not turns.take(first, 0)
    thread.join(SECONDS)
    assert turns.is_held_by(second)


def test_turn_is_taken_again_by_its_holder_and_given_back_once():
    turns, holder = Turns(), Holder()
    assert turns.take(holder, 0)
    assert turns.take(holder, 0)
    assert not is_free(turns)
    turns.give(holder)
    turns.give(holder)
    assert is_free(turns)


def test_turn_is_only_given_back_by_its_holder():
    turns, holder = Turns(), Holder()
    assert turns.take(holder, 0)
    turns.give(Holder())
    assert turns.is_held_by(holder)


def test_one_who_has_waited_long_enough_leaves_the_queue():
    turns, holder, late = Turns(), Holder(), Holder()
    assert turns.take(holder, 0)
    assert not turns.take(late, 0)
    turns.give(holder)
    assert not turns.is_held_by(late)
    assert is_free(turns)


def test_turn_that_comes_at_the_last_moment_counts(monkeypatch):
    turns, holder, late = Turns(), Holder(), Holder()
    assert turns.take(holder, 0)

    class LateEvent(Event):
        def wait(self, timeout=None):
            turns.give(holder)
            return False

    monkeypatch.setattr(module, "Event", LateEvent)
    assert turns.take(late, 0)
    assert turns.is_held_by(late)


@pytest.mark.parametrize("came_as_well", [False, True])
def test_interrupt_while_waiting_leaves_no_turn_behind(monkeypatch, came_as_well):
    turns, holder = Turns(), Holder()
    assert turns.take(holder, 0)

    class Interrupted(Event):
        def wait(self, timeout=None):
            if came_as_well:
                turns.give(holder)
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "Event", Interrupted)
        waiting = Holder()
        with pytest.raises(KeyboardInterrupt):
            turns.take(waiting, SECONDS)
    turns.give(holder)
    assert is_free(turns)


def test_turn_of_a_holder_that_vanished_is_free():
    turns, holder = Turns(), Holder()
    assert turns.take(holder, 0)
    assert not is_free(turns)
    del holder
    assert is_free(turns)


def test_file_has_one_queue_by_whatever_name(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert turns_at(str(tmp_path / "file")) is turns_at(str(tmp_path / "link"))
    assert turns_at(str(tmp_path / "file")) is not turns_at(str(tmp_path / "other"))


def test_child_of_a_fork_finds_every_turn_free(tmp_path):
    turns, holder = turns_at(str(tmp_path / "file")), Holder()
    assert turns.take(holder, 0)
    module._start_anew()
    assert is_free(turns)
