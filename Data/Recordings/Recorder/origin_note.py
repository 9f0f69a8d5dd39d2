"""Writes ORIGIN.md: the origin of the recording, with counts taken from its files."""

import collections
import datetime
import hashlib
import json
from pathlib import Path

from versions import client_versions

_MEANINGS = {
    "ntlm-401": "NTLM at an origin, on one connection; also second requests on a connection already authenticated",
    "ntlm-407": "NTLM at a proxy: plain origins behind it, CONNECT, and origins inside the tunnel that ask as well",
    "basic": "Basic at an origin",
    "basic-407": "Basic at a proxy, as above",
    "digest-md5": "Digest with MD5",
    "digest-sha256": "Digest with SHA-256; one host offers MD5 as well",
    "offer-of-three": "Negotiate, NTLM and Basic on one 401; NTLM is answered",
    "client-certificate": "the server asks for a certificate: presented, or not where none is meant",
    "pin-leaf": "a pinned host with its everyday key",
    "pin-backup": "the same hosts after the rotation to the backup key",
    "pin-reissued": "a new certificate for the same key",
    "pin-rogue": "a forged chain: from a trusted inspection root, from an unknown root, or for another host",
    "site-not-allowed": "a challenge from an origin or path that the rules do not allow",
    "plain-http": "an allowed https host that asks over http",
    "foreign-redirect": "authenticated, then redirected to an origin that is not allowed and asks",
    "wrong-password": "a stale password: sent once, refused",
    "wrong-password-again": "later, same account and host: policy withholds, the recorder tries for the evidence",
    "account-paused": "an account of the domain after two refusals in a row: its password goes nowhere",
    "domain-missing": "an account without domain meets a server of a domain",
    "error-page": "the password is right, and the page is gone (404) or closed (403)",
    "not-authorised": "401 for a page of another user: the path is withheld, other pages go on",
    "not-authorised-407": "the same by a deny rule of Squid that rests on the user",
    "handshake-closed": "NTLM whose CHALLENGE comes with `Connection: close`: once more, and then no more",
    "http2": "NTLM beside Basic or Digest, or alone, over HTTP/2, where it cannot answer; the offer of NTLM is written by hand",
    "redirect": "authenticated, then redirected to another allowed origin, which asks for itself",
    "stale-nonce": "Digest whose nonce expires before the answer comes",
    "two-accounts": "two folders of one host with an account each: two connections, each used again",
    "password-change": "the password changes at the server at noon, and at the client in the afternoon",
    "digest-407": "Digest at a proxy: plain origins, CONNECT, and origins inside the tunnel",
    "header-confusion": "fields that a careless parser reads as an offer of Basic",
    "lookalike-host": "hosts that resemble allowed ones",
    "ntlm-truncated": "CHALLENGEs cut short",
    "ntlm-oversized": "CHALLENGEs that are too large, or point past their end",
}


def write(folder: Path, servers: dict[str, str]) -> None:
    lines = [
        "# corporate-day",
        "",
        "One day of a made-up company, Acme, on the wire: every response and TLS handshake that a client met, what it",
        "sent in reply, and what its security profile (`profile.yaml`) demands at that point. The servers were real,",
        "on loopback; hosts, accounts, passwords and keys were made for the recording and are worth nothing.",
        "",
        f"- Made by: the project, on {datetime.date.today().isoformat()}. Licence: Apache-2.0.",
        "- Made again by: `sudo Data/Recordings/Recorder/record-corporate-day` (a minute and a half; see its first lines).",
        "- Needs on Debian 12: `apt-get install --no-install-recommends apache2-bin libapache2-mod-auth-gssapi",
        "  gss-ntlmssp apache2-utils lighttpd lighttpd-mod-openssl nginx-light squid winbind samba-common-bin",
        "  iproute2`,",
        "  Python 3.11 with `pip install -r Data/Recordings/Recorder/requirements.txt`, and root (for namespaces).",
        "- Checked by: `Data/Recordings/Recorder/check_recording.py`, at the end of every recording and on its own.",
        "",
        "## Who spoke",
        "",
        "| software | version |",
        "|---|---|",
        *[f"| {name} | {version} |" for name, version in servers.items()],
        *[f"| {name} (client) | {version} |" for name, version in client_versions().items()],
        "",
        "NTLM is answered by pyspnego, whose client challenge and session key are written down as they are drawn;",
        "Basic and Digest by a few lines of the recorder. `domain-missing` comes from a server whose user file knows",
        "two people named jdoe, in two domains: without a domain it picks the other one, and refuses.",
        "",
        "## What is in it",
        "",
    ]
    for name in ("events.ndjson", "hostile.ndjson"):
        lines += [f"### {name}", "", "| kind | exchanges | what happens |", "|---|---:|---|"]
        counts, origins = _counts(folder / name)
        lines += [f"| {kind} | {count} | {_MEANINGS[kind]} |" for kind, count in sorted(counts.items())]
        lines += [f"| **all** | **{sum(counts.values())}** | {origins} origins and proxies |", ""]
    lines += [
        "Made by hand: `hostile.ndjson`, and the offer of NTLM beside Basic and Digest in `http2`, which a line of Apache's",
        "configuration writes. The fields and host names of `hostile.ndjson` were written by a person;",
        "its NTLM messages are CHALLENGEs that real servers sent, damaged by `Recorder/hostile.py`.",
        "",
        "## What differs from one recording to the next",
        "",
        "Times, server and client nonces, NTLM challenges and session keys, keys and certificates (hence the pins, and",
        "every SHA-256), versions of the servers. The exchanges, their order and the expected verdicts are the same:",
        "they come from a seeded generator.",
        "",
        "## Files",
        "",
        "| file | bytes | SHA-256 |",
        "|---|---:|---|",
    ]
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "ORIGIN.md"):
        data = path.read_bytes()
        lines.append(f"| {path.relative_to(folder)} | {len(data)} | `{hashlib.sha256(data).hexdigest()}` |")
    (folder / "ORIGIN.md").write_text("\n".join(lines) + "\n")


def _counts(path: Path) -> tuple[collections.Counter, int]:
    """Exchanges by kind, and how many different origins and proxies appear."""
    counts, origins = collections.Counter(), set()
    with path.open(encoding="utf-8") as file:
        next(file)
        for line in file:
            event = json.loads(line)
            counts[event["kind"]] += event["leg"] == 0
            origins |= {event["origin"], event.get("via")} - {None}
    return counts, len(origins)
