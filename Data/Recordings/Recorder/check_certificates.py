"""The certificates of a recording: every name resolves, chains are chains, pins say what the verdicts say."""

import base64
import hashlib
import itertools
import re
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization

import landscape
import policy

FIRST_HOSTILE_NUMBER = 900_001


class Pool:
    """certificates.pem, by SHA-256; raises ValueError when a comment and its certificate disagree."""

    def __init__(self, folder: Path) -> None:
        text = (folder / "certificates.pem").read_text()
        blocks = re.findall(
            r"# sha256=([0-9a-f]{64}) subject=([^\n]*)\n(-----BEGIN.*?-----END CERTIFICATE-----)", text, re.S
        )
        self._certificates: dict[str, x509.Certificate] = {}
        for name, subject, pem in blocks:
            certificate = x509.load_pem_x509_certificate(pem.encode())
            der = certificate.public_bytes(serialization.Encoding.DER)
            if hashlib.sha256(der).hexdigest() != name or certificate.subject.rfc4514_string() != subject:
                raise ValueError(f"certificates.pem: {name} is another certificate")
            self._certificates[name] = certificate
        if list(self._certificates) != sorted(self._certificates) or text.count("BEGIN") != len(self._certificates):
            raise ValueError("certificates.pem is not sorted, or names a certificate twice")
        self._pins = _pins(folder)
        self._used: set[str] = set()

    def __len__(self) -> int:
        return len(self._certificates)

    def __getitem__(self, name: str) -> x509.Certificate:
        return self._certificates[name]

    def check(self, event: dict):
        """Yields findings about the certificates of one event."""
        if event["type"] == "password":
            return
        named = event["chain"] if event["type"] == "response" else event["presented"] + (event["validated"] or [])
        named = named + [event["clientCertificate"]] if event.get("clientCertificate") else named
        self._used |= set(named)
        if missing := [name for name in named if name not in self._certificates]:
            yield f"certificates.pem lacks {missing}"
        elif event["type"] == "tls":
            yield from self._check_handshake(event)
        elif bool(event["chain"]) != _has_tls(event):
            yield "chain without TLS, or TLS without chain"

    def _check_handshake(self, event: dict):
        verdict, validated = event["expected"]["verdict"], event["validated"]
        reason = event["expected"]["reason"]
        if (validated is None) != (event["validationError"] is not None):
            yield "neither validated nor an error, or both"
        if event["certificateRequest"] is None and (event["clientCertificate"] or "identity" in event["expected"]):
            yield "a client certificate without a request"
        if (event["clientCertificate"] is None) != (event["expected"].get("identity") is None):
            yield "identity and client certificate disagree"
        for below, above in itertools.pairwise(validated or []):
            self[below].verify_directly_issued_by(self[above])
        if (found := self._pin_reason(event)) != reason:
            yield f"{verdict}/{reason}, but by the pins it is {found}"

    def _pin_reason(self, event: dict) -> str:
        if event["validated"] is None:
            return "not-validated"
        host = policy.split_origin(event["origin"])[1]
        pins = self._pins.get("**.pay.acme.example" if host in landscape.ISSUER_PINNED else host)
        if pins is None:
            return "not-pinned"
        position, now, backup = pins
        chain = event["validated"]
        keys = [_pin(self[name]) for name in (chain[:1] if position == "leaf" else chain[1:-1])]
        return "pinned" if now in keys else "pinned-backup" if backup in keys else "pin-mismatch"

    def check_profile(self, folder: Path):
        """Yields findings about what no event can be blamed for."""
        if unused := set(self._certificates) - self._used:
            yield f"certificates.pem holds {len(unused)} certificates that no event names"
        if len(self._pins) < 4:
            yield "profile.yaml has too few pins"
        for account in policy.ACCOUNTS:
            if not (folder / "secrets" / account.name).exists():
                yield f"secrets/{account.name} is missing"


def _has_tls(event: dict) -> bool:
    """Whether the response came over TLS; what was made by hand never did."""
    return event["origin"].startswith("https") and not event["via"] and event["exchange"] < FIRST_HOSTILE_NUMBER


def _pin(certificate: x509.Certificate) -> str:
    spki = certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return base64.b64encode(hashlib.sha256(spki).digest()).decode()


def _pins(folder: Path) -> dict[str, tuple[str, str, str]]:
    """Host → (position, pin, backup), read from the lines that the recorder writes; not a YAML parser."""
    text = (folder / "profile.yaml").read_text()
    entry = (
        r'- host: "([^"]+)"\n\s+enforce: true\n\s+pins:\s+\[\{ sha256: "([^"]+)", position: (\w+) \}\]\n'
        r'\s+backups: \[\{ sha256: "([^"]+)"'
    )
    return {host: (position, now, backup) for host, now, position, backup in re.findall(entry, text)}
