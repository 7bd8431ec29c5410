"""How many visitors one server on one core holds: the playground and the naive one in one run; or its memory for long.

    python -m benchmarks.visitors
    python -m benchmarks.visitors soak [--minutes 30] [--visitors 20]

Every visitor moves the slider d_k once a second, spread evenly over the second. The server has one core, the visitors
another. An answer is timed from the moment the change is due until the script has finished. A server holds as many
visitors as it answers for 20 seconds without an error and with a median under a tenth of a second; it keeps up with as
many as it answers within the second.
"""

import argparse
import asyncio
import math
import os
import statistics
import time
from dataclasses import dataclass

from benchmarks.serving import APP, NAIVE, Server, serve
from benchmarks.tab import Tab

SERVER_CORE, VISITORS_CORE = sorted(os.sched_getaffinity(0))[:2]
WARM_UP, SECONDS = 5, 20
HELD, KEPT_UP = 0.1, 1.0
FEW, PROMISED = 10, 50
COLUMNS = (
    "server", "visitors", "median, ms", "95 %, ms", "messages a change", "kB a change", "server, ms a change",
    "its core", "visitors' core", "server, MB", "error",
)  # fmt: skip


@dataclass(frozen=True)
class Load:
    """What some seconds of so many visitors showed."""

    visitors: int
    answers: list[float]
    megabytes: float
    error: str
    row: str

    def within(self, limit: float) -> bool:
        return not self.error and statistics.median(self.answers) < limit


class Crowd:
    """The visitors of one server: they stay, and as many of them as asked for are active."""

    def __init__(self, name: str, server: Server, page: str) -> None:
        self.name, self.server, self.page = name, server, page
        self.tabs: list[Tab] = []

    async def load(self, visitors: int, seconds: int = SECONDS) -> Load:
        """Let so many visitors make a change a second each."""
        while len(self.tabs) < visitors:
            self.tabs.append(await Tab.open(self.server.host, self.page))
        tabs = self.tabs[:visitors]
        before = self._counters(tabs)
        begin = time.perf_counter()
        answers: list[float] = []
        visits = (self._visit(tab, begin + i / visitors, seconds, answers) for i, tab in enumerate(tabs))
        errors = await asyncio.gather(*visits, return_exceptions=True)
        took, messages, received, served, asked = (b - a for a, b in zip(before, self._counters(tabs), strict=True))
        self.tabs = [tab for tab, error in zip(tabs, errors, strict=True) if not error] + self.tabs[visitors:]
        error = next((repr(error) for error in errors if error), "")
        changes = len(answers) or 1
        answers = sorted(answers) or [math.inf]
        megabytes = self.server.megabytes()
        row = (
            f"| {self.name} | {visitors} | {1000 * statistics.median(answers):.0f} "
            f"| {1000 * answers[int(0.95 * changes)]:.0f} | {messages / changes:.0f} "
            f"| {received / changes / 1000:.0f} | {1000 * served / changes:.1f} | {served / took:.0%} "
            f"| {asked / took:.0%} | {megabytes:.0f} | {error or 'none'} |"
        )
        return Load(visitors, answers, megabytes, error, row)

    async def _visit(self, tab: Tab, begin: float, seconds: int, answers: list[float]) -> None:
        for turn in range(seconds):
            due = begin + turn
            await asyncio.sleep(due - time.perf_counter())
            await tab.change("d_k", turn)
            answers.append(time.perf_counter() - due)

    def _counters(self, tabs: list[Tab]) -> tuple[float, ...]:
        received = sum(tab.messages for tab in tabs), sum(tab.bytes for tab in tabs)
        return time.perf_counter(), *received, self.server.seconds(), time.process_time()

    async def most(self, first: int, limit: float) -> tuple[int, list[Load]]:
        """The most that the server answers within `limit`, to a tenth: doubling at first, then halving what is left."""
        loads: list[Load] = []
        most, visitors, too_many = 0, first, 0
        while not too_many or too_many - most > max(1, most // 10):
            loads.append(await self.load(visitors))
            print(loads[-1].row, flush=True)
            if loads[-1].within(limit):
                most = visitors
            else:
                too_many = visitors
            visitors = (most + too_many) // 2 if too_many else 2 * most
        return most, loads


async def compare() -> None:
    """Both servers, one after the other, and what is promised of the app."""
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    with serve(NAIVE, core=SERVER_CORE) as server:
        crowd = Crowd("naive", server, "")
        await crowd.load(1, WARM_UP)
        kept_up, loads = await crowd.most(1, KEPT_UP)
        naive = max((load.visitors for load in loads if load.within(HELD)), default=0)
    with serve(APP, core=SERVER_CORE) as server:
        crowd = Crowd("app", server, "playground")
        await crowd.load(FEW, WARM_UP)
        few = await crowd.load(FEW)
        print(few.row)
        app, (many, *_) = await crowd.most(PROMISED, HELD)
    grown = (many.megabytes - few.megabytes) / (PROMISED - FEW)
    print(f"\nThe app holds {app}; the naive version holds {naive} and keeps up with {kept_up}.")
    print(f"From {FEW} to {PROMISED} visitors, each cost the server {grown:.2f} MB.")


async def soak(minutes: int, visitors: int) -> None:
    """The server's memory, minute by minute, while visitors never stop."""
    print("| minute | server, MB | median, ms | error |\n|---|---|---|---|")
    with serve(APP, core=SERVER_CORE) as server:
        crowd = Crowd("app", server, "playground")
        for minute in range(1, minutes + 1):
            load = await crowd.load(visitors, 60)
            median = 1000 * statistics.median(load.answers)
            print(f"| {minute} | {load.megabytes:.1f} | {median:.0f} | {load.error or 'none'} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    long = commands.add_parser("soak")
    long.add_argument("--minutes", type=int, default=30)
    long.add_argument("--visitors", type=int, default=20)
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {VISITORS_CORE})
    asyncio.run(soak(chosen.minutes, chosen.visitors) if chosen.command == "soak" else compare())


if __name__ == "__main__":
    main()
