"""Starting servers, waiting until they answer, and stopping them."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path


class Fleet:
    """The running servers of one recording; `stop` ends them in reverse order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[tuple[str, subprocess.Popen]] = []

    def start(
        self, name: str, command: list[str], *, hostname: str | None = None, winbind=False, environment=None
    ) -> None:
        """Starts a server in the foreground, on a machine with a host name of its own when one is given.

        Such a machine does not see winbindd either, which gss-ntlmssp would otherwise ask before its user file.
        """
        if hostname and not winbind:
            script = 'hostname "$0"; mount -t tmpfs tmpfs /run/samba; exec "$@"'
            command = ["unshare", "-u", "-m", "sh", "-c", script, hostname, *command]
        elif hostname:
            command = ["unshare", "-u", "sh", "-c", 'hostname "$0"; exec "$@"', hostname, *command]
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        self._running.append((name, process))

    def wait_for_port(self, name: str, address: str, port: int, seconds: float = 30) -> None:
        """Returns once something listens there; raises when the server ended or the time is over."""
        process = next(process for other, process in self._running if other == name)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if process.poll() is not None:
                break
            try:
                socket.create_connection((address, port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        log = (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{name} does not listen on {address}:{port}\n{log}")

    def wait_for_path(self, path: Path, seconds: float = 30) -> None:
        """Returns once the path exists."""
        deadline = time.monotonic() + seconds
        while not path.exists():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{path} did not appear")
            time.sleep(0.05)

    def stop(self) -> None:
        for _, process in reversed(self._running):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + 5
        for _, process in self._running:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._running.clear()


def run(command: list[str], **options) -> str:
    """Runs a command to its end and returns what it printed; raises with its output when it fails."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        raise RuntimeError(f"{command[0]} failed: {result.stdout}{result.stderr}")
    return result.stdout


# Where the /etc of the machine is in this mount namespace: in its own /run, which nothing here removes.
MACHINE_ETC = Path("/run/etc")


def private_accounts(users: list[str]) -> None:
    """Gives this mount namespace an /etc of links, with a file of its own for the accounts.

    A mount over /etc/passwd itself would end when a program of the machine, such as apt, puts another file in its place.
    """
    MACHINE_ETC.mkdir()
    run(["mount", "--rbind", "/etc", str(MACHINE_ETC)])
    run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/etc"])
    for each in MACHINE_ETC.iterdir():
        if each.name != "passwd":
            Path("/etc", each.name).symlink_to(each)
    passwd = Path("/etc/passwd")
    shutil.copyfile(MACHINE_ETC / "passwd", passwd)
    known = {line.split(":")[0] for line in passwd.read_text().splitlines()}
    with passwd.open("a") as file:
        for number, user in enumerate(u for u in users if u not in known):
            file.write(f"{user}:x:{40001 + number}:65534::/nonexistent:/usr/sbin/nologin\n")


def private_machine(users: list[str]) -> None:
    """Gives this mount namespace a /run, shared memory, a log folder and accounts of its own, and brings loopback up.

    Samba wants its users to be users of the machine, looks for winbindd under /run only, and always logs there.
    """
    run(["ip", "link", "set", "lo", "up"])
    run(["mount", "--make-rprivate", "/"])
    run(["mount", "-t", "tmpfs", "tmpfs", "/run"])
    run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"])
    Path("/run/samba").mkdir()
    run(["mount", "-t", "tmpfs", "tmpfs", "/var/log/samba"])
    private_accounts(users)
    run(["hostname", "ws17"])
