"""The parent's end: starts the supervisor early, sends jobs, reads messages. Torch is never imported here."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import cast

from symgen.errors import SymgenError
from symgen.verify.messages import Ended, Failed, Job, Message
from symgen.verify.supervisor import HAS_FORK, serve
from symgen.verify.user_jobs import Answer, UserJob

LIMIT = 20.0
"""Seconds that one sample may take."""

_PROGRAM = (
    "import sys; sys.path += {path!r}; from multiprocessing.connection import Connection; {first}"
    "from symgen.verify.supervisor import serve; serve(Connection({fd}), {workers}, {limit!r})"
)


_OVERLAY = "from symgen.verify.overlay import install_overlay; install_overlay({folder!r}); "


class PoolError(SymgenError):
    """The processes that verify could not start (torch, onnx or onnxruntime can't be imported), or have gone away."""

    exit_status = 1


class Pool:
    """Child processes with torch, onnx and onnxruntime, which start to load as soon as the pool is made.

    With an overlay they have the `torch.onnx` of that folder.
    """

    def __init__(self, workers: int = 2, limit: float = LIMIT, overlay: Path | None = None) -> None:
        self.workers = workers
        self._connection, there = multiprocessing.Pipe()
        self._end = _start(there, workers, limit, overlay)
        there.close()
        self._numbers = iter(range(sys.maxsize))

    @property
    def process_id(self) -> int:
        """The supervisor's process id; where the system has process groups, that of the group of all children."""
        return self._end.process_id

    def submit(self, job: Job) -> int:
        """Sends a job; the number that its messages will carry."""
        number = next(self._numbers)
        try:
            self._connection.send((number, job))
        except OSError as error:
            raise PoolError(self._last_words()) from error
        return number

    def messages(self) -> Iterator[tuple[int, Message]]:
        """The messages of all jobs as they come, for as long as they are asked for.

        Raises:
            PoolError: where the supervisor has gone away.
        """
        while True:
            try:
                number, message = self._connection.recv()
            except (EOFError, OSError) as error:
                raise PoolError("the process that verifies has ended") from error
            if number < 0 and isinstance(message, Failed):
                raise PoolError(message.error)
            yield number, message

    def ask(self, job: UserJob[Answer], tell: Callable[[Message], None] = lambda message: None) -> Answer | Failed:
        """Has one job done while no other is, and returns its answer: the last message; `tell` is told all of them.

        Raises:
            PoolError: where the supervisor has gone away.
        """
        number = self.submit(job)
        given: Message = Failed("the process gave no answer", "")
        for other, message in self.messages():
            if other == number and isinstance(message, Ended):
                break
            if other == number:
                given = message
                tell(message)
        return cast("Answer | Failed", given)

    def ask_all(self, jobs: Sequence[UserJob[Answer]]) -> tuple[Answer | Failed, ...]:
        """Has several jobs done side by side, while no other is; the answers come in the order of the jobs.

        Raises:
            PoolError: where the supervisor has gone away.
        """
        numbers = [self.submit(job) for job in jobs]
        given: dict[int, Message] = {number: Failed("the process gave no answer", "") for number in numbers}
        pending = set(numbers)
        messages = self.messages()
        while pending:
            number, message = next(messages)
            if isinstance(message, Ended):
                pending.discard(number)
            elif number in given:
                given[number] = message
        return cast("tuple[Answer | Failed, ...]", tuple(given[number] for number in numbers))

    def _last_words(self) -> str:
        """Why the supervisor ended, as far as it said."""
        try:
            while self._connection.poll():
                _, message = self._connection.recv()
                if isinstance(message, Failed):
                    return message.error
        except (EOFError, OSError):
            pass
        return "the process that verifies has ended"

    def close(self) -> None:
        """Ends all children at once."""
        self._connection.close()
        self._end()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def start_pool(workers: int = 2, limit: float = LIMIT, overlay: Path | None = None) -> Pool:
    """Starts a pool; call it early, it loads in the background."""
    return Pool(workers, limit, overlay)


class _Group:
    """The supervisor as the leader of a process group of its own, so that Ctrl-C reaches only the parent."""

    def __init__(self, there: Connection, workers: int, limit: float, overlay: Path | None) -> None:
        package = str(Path(__file__).resolve().parent.parent.parent)
        first = _OVERLAY.format(folder=str(overlay)) if overlay else ""
        program = _PROGRAM.format(path=[package], first=first, fd=there.fileno(), workers=workers, limit=limit)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            pass_fds=[there.fileno()],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def process_id(self) -> int:
        return self._process.pid

    def __call__(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class _Spawned:
    """The supervisor where the system has no process groups."""

    def __init__(self, there: Connection, workers: int, limit: float) -> None:
        self._process = multiprocessing.get_context("spawn").Process(target=serve, args=(there, workers, limit))
        self._process.start()

    @property
    def process_id(self) -> int:
        return self._process.pid or 0

    def __call__(self) -> None:
        self._process.join()


def _start(there: Connection, workers: int, limit: float, overlay: Path | None) -> _Group | _Spawned:
    if HAS_FORK:
        return _Group(there, workers, limit, overlay)
    if overlay is not None:
        raise PoolError("an overlay needs a system that can fork")
    return _Spawned(there, workers, limit)
