"""User files that several servers share."""

from pathlib import Path

import policy
from processes import run

# What the servers know; the stale account's password has been replaced.
SERVER_PASSWORDS = {
    policy.JDOE.user: policy.JDOE.password,
    policy.FUNK.user: policy.FUNK.password,
    policy.GATE.user: policy.GATE.password,
    policy.DOCK.user: policy.DOCK.password,
    policy.STALE.user: policy.REPLACED_PASSWORD,
}


def write_changing(path: Path, password: str) -> None:
    """The user file of the host whose password changes at noon."""
    run(["htpasswd", "-i", "-m", *([] if path.exists() else ["-c"]), str(path), policy.CLERK.user], input=password)


def write_htpasswd(path: Path) -> None:
    """Writes every user of the servers, in the form (`-m`) that Apache, nginx, lighttpd and Squid all read."""
    path.touch()
    for user, password in SERVER_PASSWORDS.items():
        run(["htpasswd", "-i", "-m", str(path), user], input=password)
