"""The client: it connects, asks, answers challenges, and notes every step into an exchange."""

import time

import landscape
import passwords
import policy
from budget import Budget
from certificates import Certificates
from connection import Connection, Response
from ntlm import NTLMClient, end_point_binding
from writer import Exchange, Recording, now

# The certificate hosts that each identity is for, in the rule language of the sites.
IDENTITY_SITES = {
    "laptop": ("vpn.acme.example", "admin.acme.example:8443", "guest.acme.example"),
    "tablet": ("mobile.acme.example",),
}
# The identities' issuer is not among the authorities that these hosts name, so nothing is presented.
FOREIGN_AUTHORITY_HOSTS = ("guest.acme.example",)

SCHEMES = {
    "ntlm": "NTLM",
    "ntlm-only": "NTLM",
    "three": "NTLM",
    "digest-md5": "Digest",
    "digest-sha256": "Digest",
    "digest-both": "Digest",
    "digest-ntlm": "Digest",
    "basic": "Basic",
    "basic-ntlm": "Basic",
    "basic-changing": "Basic",
}


def identity_for(origin: str) -> str | None:
    """The identity that may be presented to this origin."""
    return next(
        (name for name, rules in IDENTITY_SITES.items() if any(policy.host_rank(r, origin) for r in rules)),
        None,
    )


def authority(origin: str) -> str:
    """host or host:port, as in the Host field."""
    return origin.partition("://")[2]


class Client:
    """What outlives one exchange: the recording, the trust store, the identities and connections kept open."""

    def __init__(self, recording: Recording, made: Certificates) -> None:
        self.recording = recording
        self.made = made
        self.kept: dict[str, tuple[str, "Conversation"]] = {}
        self.budget = Budget()
        # Changes when the user types a new password.
        self.clerk = policy.CLERK
        self.password_at_server = policy.CLERK.password

    def begin(self, kind: str) -> Exchange:
        return self.recording.begin(kind)


class Conversation:
    """One connection and the party at its end, noted into one exchange."""

    def __init__(self, client: Client, exchange: Exchange, origin: str, *, via: str | None = None) -> None:
        self.client, self.exchange, self.origin, self.via = client, exchange, origin, via
        self._chain: list[str] = []
        self._is_tunnel = False
        self.connection: Connection | None = None

    # Connecting

    def connect(self) -> "Conversation":
        """Opens a connection to the origin, or to the proxy in between, and notes the handshake if there is one."""
        scheme, host, _ = policy.split_origin(self.via or self.origin)
        if self.via:
            self.open(landscape.PROXY_MACHINES[self.via])
        else:
            self.open(landscape.BY_HOST[host].machine)
        if scheme == "https":
            event = self.start_tls({"verdict": "trusted", "reason": "not-pinned"})
            if event["validated"] is None:
                raise RuntimeError(f"{self.origin}: {event['validationError']}")
        return self

    def open(self, machine: str) -> None:
        """Opens a connection to a machine, without TLS as yet."""
        port = policy.split_origin(self.via or self.origin)[2]
        self.connection = Connection(landscape.ADDRESSES[machine], port)
        self._chain = []

    def start_tls(self, expected: dict) -> dict:
        """Shakes hands with the origin, directly or inside the proxy's tunnel."""
        _, host, _ = policy.split_origin(self.origin)
        name = None if host in FOREIGN_AUTHORITY_HOSTS else identity_for(self.origin)
        site = landscape.BY_HOST.get(host)
        handshake = self.connection.start_tls(
            host,
            self.client.made.trusted,
            self.client.made.identities[name] if name else None,
            http2=bool(site and site.http2),
        )
        if handshake.authorities is not None:
            expected = {**expected, "identity": name}
        self._chain = [self.client.recording.pool(certificate) for certificate in handshake.presented]
        return self.exchange.tls(self.connection, self.origin, handshake, expected)

    def enter_tunnel(self, expected: dict) -> None:
        """After a CONNECT that worked: from here on the origin speaks, not the proxy."""
        self.via, self._is_tunnel = None, True
        self.start_tls(expected)

    # Asking

    def ask(
        self, method: str, target: str, answer: tuple[str, str] | None = None, *, reconnect=False
    ) -> tuple[dict, Response]:
        """Sends a request, with the answer to a challenge if there is one, and notes the response."""
        if not self.connection.is_open:
            if not reconnect or self._is_tunnel:
                raise ConnectionError(f"{self.origin} closed a connection that had to stay")
            self.connect()
        host = target if method == "CONNECT" else authority(self.origin)
        fields = [("Host", host), ("User-Agent", "sallyport-recorder"), ("Accept", "*/*")]
        body = b"q=1" if method == "POST" else b""
        if body:
            fields += [("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", str(len(body)))]
        fields += [answer] if answer else []
        response = self.connection.request(method, target, fields, body)
        event = self.exchange.response(
            self.connection.number, self.origin, self.via, method, target, response, self._chain, now(), self.connection.http
        )
        return event, response

    # Answering

    def log_in(
        self,
        guard: str,
        account: policy.Account,
        method: str,
        target: str,
        verdicts: list[str],
        pause: float = 0,
        reconnects: bool = False,
    ) -> tuple[dict, Response]:
        """Asks, answers every challenge, and notes one verdict (`answered`, `withheld/domain-required`, …) a leg. `pause` lies
        between the first challenge and its answer."""
        field = "Proxy-Authorization" if self.via else "Authorization"
        offers = "Proxy-Authenticate" if self.via else "WWW-Authenticate"
        scheme = SCHEMES[guard]
        party = policy.split_origin(self.via or self.origin)[1]
        handshake = None if self.via else self.connection.handshake
        # Channel bindings go into every NTLM answer over TLS.
        binding = end_point_binding(handshake.presented[0]) if handshake else None
        ntlm = NTLMClient(account, party, binding) if scheme == "NTLM" else None
        value, answer = None, None
        for leg, verdict in enumerate(verdicts):
            reconnect = ntlm is None or reconnects
            if leg == 1:
                time.sleep(pause)
            event, response = self.ask(method, target, (field, value) if value else None, reconnect=reconnect)
            event["expected"] = expectation(verdict)
            if leg == len(verdicts) - 1:
                return event, response
            offered = [v for v in response.values(offers) if v.lower().startswith(scheme.lower())]
            if not offered:
                raise RuntimeError(f"{self.via or self.origin} offers no {scheme}: {response}")
            nonces = None
            if scheme == "Basic":
                value = passwords.basic_value(account)
            elif scheme == "Digest":
                value, nonces = passwords.digest_value(account, offered[0], method, target)
            elif leg == 0:
                value = ntlm.negotiate()
            else:
                value, nonces = ntlm.authenticate(offered[0])
            answer = {"field": field, "value": value, "account": account.name}
            event["answer"] = {**answer, "nonces": nonces} if nonces else answer
        raise AssertionError("verdicts must not be empty")


def expectation(verdict: str) -> dict:
    """`withheld/reason` or a verdict alone, as the recording spells it."""
    name, _, reason = verdict.partition("/")
    return {"verdict": name, "reason": reason or None}


def legs(guard: str) -> int:
    """How many responses a whole log-in takes."""
    return 3 if SCHEMES[guard] == "NTLM" else 2


def succeeding(guard: str) -> list[str]:
    """The verdicts of a log-in that works."""
    return ["answered"] * (legs(guard) - 1) + ["accepted"]
