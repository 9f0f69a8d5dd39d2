"""Events: what one exchange notes down, and the files that come out of it."""

import base64
import datetime
import json
from pathlib import Path

from cryptography import x509

import certificates
from connection import Connection, Handshake, Response

FORMAT, VERSION = "sallyport-challenge-recording", 1


def now() -> str:
    """The moment, RFC 3339 in UTC with microseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def header(servers: dict[str, str], made_by_hand: bool) -> dict:
    return {
        "type": "header",
        "format": FORMAT,
        "version": VERSION,
        "recorded": now(),
        "madeByHand": made_by_hand,
        "servers": servers,
    }


class Exchange:
    """The events of one exchange, in order. `answer` and `expected` of an event are set once they are known."""

    def __init__(self, recording: "Recording", number: int, kind: str) -> None:
        self.kind = kind
        self.number = number
        self.events: list[dict] = []
        self._recording = recording

    def _add(self, type: str, connection: int, origin: str, time: str | None, rest: dict) -> dict:
        common = {"type": type, "exchange": self.number, "leg": len(self.events), "kind": self.kind}
        self.events.append({**common, "time": time or now(), "connection": connection, "origin": origin, **rest})
        return self.events[-1]

    def tls(self, connection: Connection, origin: str, handshake: Handshake, expected: dict) -> dict:
        """Notes a finished handshake, and its certificates into the pool."""
        seen = self._recording.pool
        presented = [seen(certificate) for certificate in handshake.presented]
        validated = None if handshake.validated is None else [seen(c) for c in handshake.validated]
        request = None
        if handshake.authorities is not None:
            request = {"authorities": [_base64(name) for name in handshake.authorities]}
        client = handshake.client_certificate
        rest = {
            "presented": presented,
            "validated": validated,
            "validationError": handshake.error,
            "certificateRequest": request,
            "clientCertificate": seen(client) if client else None,
            "expected": expected,
        }
        return self._add("tls", connection.number, origin, None, rest)

    def password(self, account: str, secret: str) -> dict:
        """Notes that the user of the client has typed a new password."""
        rest = {"account": account, "secret": secret, "expected": {"verdict": "noted", "reason": None}}
        return self._add("password", 0, "https://till.acme.example", None, rest)

    def response(
        self,
        connection: int,
        origin: str,
        via: str | None,
        method: str,
        target: str,
        response: Response,
        chain: list[str],
        time: str | None = None,
        http: int = 1,
    ) -> dict:
        """Notes a response; answer and verdict follow."""
        rest = {
            "via": via,
            **({"http": http} if http != 1 else {}),
            "method": method,
            "target": target,
            "status": response.status,
            "fields": [list(pair) for pair in response.fields],
            "chain": chain,
            "answer": None,
            "expected": None,
        }
        return self._add("response", connection, origin, time, rest)


class Recording:
    """All exchanges of one day, and every certificate that they name."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.certificates: dict[str, x509.Certificate] = {}

    def begin(self, kind: str) -> Exchange:
        self.exchanges.append(Exchange(self, len(self.exchanges) + 1, kind))
        return self.exchanges[-1]

    def pool(self, certificate: x509.Certificate) -> str:
        """The certificate's name in the recording; it is kept for certificates.pem."""
        name = certificates.sha256(certificate)
        self.certificates[name] = certificate
        return name

    def write(self, folder: Path, servers: dict[str, str]) -> None:
        events = [event for exchange in self.exchanges for event in exchange.events]
        write_events(folder / "events.ndjson", header(servers, made_by_hand=False), events)
        with (folder / "certificates.pem").open("w") as file:
            for name, certificate in sorted(self.certificates.items()):
                file.write(f"# sha256={name} subject={certificate.subject.rfc4514_string()}\n")
                file.write(certificates.pem(certificate).decode())


def write_events(path: Path, first: dict, events: list[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in (first, *events):
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
