"""A server of its own for a measurement: the app as its folder configures it, or a naive version as Streamlit does."""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_server

ROOT = Path(__file__).parent.parent
APP = ROOT / "streamlit_app.py"
NAIVE = ROOT / "benchmarks" / "naive" / "playground.py"


@dataclass(frozen=True)
class Server:
    """A running server: its host and port, and its process."""

    host: str
    process: int

    def megabytes(self) -> float:
        """The memory it holds (resident set)."""
        pages = int(Path(f"/proc/{self.process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def seconds(self) -> float:
        """The processor time it has used."""
        user, system = Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serve(script: Path, *, core: int | None = None) -> Iterator[Server]:
    """Run `script` on a free port, on one `core` if one is named; RuntimeError if it does not answer within 30 s."""
    with create_server(("127.0.0.1", 0)) as probe:
        host = f"127.0.0.1:{probe.getsockname()[1]}"
    address, port = host.split(":")
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.address", address, "--server.port", port, "--server.headless", "true"]
    # Streamlit reads the configuration of the folder it is started in.
    with tempfile.TemporaryDirectory() as elsewhere:
        process = subprocess.Popen(
            ["taskset", "-c", str(core), *command] if core is not None else command,
            cwd=ROOT if script == APP else elsewhere,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await(f"http://{host}/_stcore/health")
            yield Server(host, process.pid)
        finally:
            process.terminate()
            process.wait(10)


def _await(url: str) -> None:
    for _ in range(3000):
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"{url} did not answer within 30 s")
