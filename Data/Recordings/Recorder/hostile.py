"""hostile.ndjson: what no real server sent. Made by hand, or by damaging CHALLENGE messages that real servers sent.

Nothing in here may be answered with a secret. Exchanges are numbered from 900001 to keep them apart from the recorded.
"""

import base64
import copy
import itertools
import struct
from pathlib import Path

import hostile_lists
import policy
from writer import Recording, header, now, write_events

FIRST_NUMBER = 900_001
# Field values from here on are larger than any CHALLENGE that a server means.
LARGEST_MESSAGE = 64 * 1024


def write(path: Path, recording: Recording, servers: dict[str, str]) -> None:
    """Builds all four kinds and writes them, one after the other."""
    events: list[dict] = []
    handshakes = _recorded_handshakes(recording)
    builders = (_header_confusion(), _lookalikes(), _truncated(handshakes), _oversized(handshakes))
    for number, exchange in enumerate(itertools.chain(*builders), FIRST_NUMBER):
        for leg, event in enumerate(exchange):
            common = {"type": "response", "exchange": number, "leg": leg, "kind": event["kind"], "time": now()}
            events.append({**common, "connection": number, **{k: v for k, v in event.items() if k not in common}})
    write_events(path, header(servers, made_by_hand=True), events)


def _response(kind: str, origin: str, target: str, offers: list[tuple[str, str]], reason: str) -> dict:
    """A lone 401 whose challenges are withheld."""
    return {
        "kind": kind,
        "origin": origin,
        "via": None,
        "method": "GET",
        "target": target,
        "status": 401,
        "fields": [["Server", "Apache/2.4"], *map(list, offers), ["Content-Length", "0"]],
        "chain": [],
        "answer": None,
        "expected": {"verdict": "withheld", "reason": reason},
    }


def _header_confusion():
    """Fields that a careless parser reads as an offer of Basic, from hosts that would get a password."""
    for number, (reason, offers) in enumerate(hostile_lists.CONFUSING_FIELDS, 1):
        # A host of its own each, so that no offer is weaker than an earlier one.
        origin = f"https://trap{number:02}.acme.example"
        assert policy.is_allowed(origin) and policy.account_for(origin), origin
        yield [_response("header-confusion", origin, "/", offers, reason)]


def _lookalikes():
    """Hosts that resemble the company's, and offer Basic under the company's realm."""
    offers = [("WWW-Authenticate", 'Basic realm="Acme Intranet"')]
    for origin, target in hostile_lists.LOOKALIKES:
        assert not policy.is_allowed(origin.lower(), target), origin
        yield [_response("lookalike-host", origin, target, offers, "site-not-allowed")]


def _recorded_handshakes(recording: Recording) -> list[tuple[dict, dict]]:
    """A bare NTLM offer and the CHALLENGE after it, once for every server and host that sent one."""
    found = {}
    for exchange in recording.exchanges:
        responses = [event for event in exchange.events if event["type"] == "response"]
        if exchange.kind in ("ntlm-401", "ntlm-407", "offer-of-three") and len(responses) >= 3:
            first, second = responses[:2]
            if first["method"] == "GET" and _challenge_field(second):
                found.setdefault((first["origin"], first["via"]), (first, second))
    return list(found.values())


def _challenge_field(event: dict) -> list | None:
    return next((field for field in event["fields"] if field[1].startswith("NTLM TlRM")), None)


def _damaged(kind: str, handshake: tuple[dict, dict], damage) -> list[dict]:
    """The handshake with its CHALLENGE replaced by `damage(message)`: bytes, or the base64 text itself."""
    first, second = (copy.deepcopy(event) for event in handshake)
    field = _challenge_field(second)
    damaged = damage(base64.b64decode(field[1].split()[1]))
    field[1] = "NTLM " + (damaged if isinstance(damaged, str) else base64.b64encode(damaged).decode())
    second["answer"] = None
    second["expected"] = {"verdict": "withheld", "reason": "malformed-challenge"}
    for event in (first, second):
        event |= {"kind": kind, "chain": []}
    return [first, second]


def _truncated(handshakes):
    """CHALLENGEs that end too early: inside the signature, the header, the names; and inside the base64."""
    lengths = (1, 7, 8, 9, 11, 12, 15, 16, 20, 23, 24, 28, 31, 32, 36, 40, 44, 47, 48, 52, 55, 56, 57, -40, -17, -4, -1)
    for length, handshake in zip(lengths, itertools.cycle(handshakes)):
        yield _damaged("ntlm-truncated", handshake, lambda message: message[:length])
    for cut, handshake in zip((1, 2, 3, 5), itertools.cycle(handshakes)):
        yield _damaged("ntlm-truncated", handshake, lambda m: base64.b64encode(m).decode().rstrip("=")[:-cut])


# Offsets inside a CHALLENGE: TargetName and TargetInfo are length, maximum length (16 bits each), offset (32 bits).
_TARGET_NAME, _TARGET_INFO = 12, 40


def _with_field(at: int, length=None, offset=None):
    """Overwrites a payload field's length or offset; either may be computed from (message, old value)."""

    def damage(message: bytes) -> bytes:
        old_length, maximum, old_offset = struct.unpack_from("<HHI", message, at)
        new_length = old_length if length is None else length(message, old_length)
        new_offset = old_offset if offset is None else offset(message, old_offset)
        changed = bytearray(message)
        struct.pack_into("<HHI", changed, at, new_length, max(maximum, new_length), new_offset)
        return bytes(changed)

    return damage


def _with_pair_length(position: int, length: int):
    """Overwrites the length of one AV pair (0 the first, -1 the last before the end) inside TargetInfo."""

    def damage(message: bytes) -> bytes:
        size, _, start = struct.unpack_from("<HHI", message, _TARGET_INFO)
        places, at = [], start
        while at < start + size and (pair := struct.unpack_from("<HH", message, at))[0] != 0:
            places.append(at)
            at += 4 + pair[1]
        changed = bytearray(message)
        struct.pack_into("<H", changed, places[position] + 2, length)
        return bytes(changed)

    return damage


def _with_large_target_info(message: bytes) -> bytes:
    """TargetInfo as large as its 16 bits allow, and more bytes behind it."""
    size, _, start = struct.unpack_from("<HHI", message, _TARGET_INFO)
    filler = struct.pack("<HH", 0x00FF, 65_531 - size) + bytes(65_531 - size)
    grown = bytearray(message[:start] + filler + message[start : start + size])
    struct.pack_into("<HHI", grown, _TARGET_INFO, 65_535, 65_535, start)
    return bytes(grown)


_OVERSIZED = (
    lambda m: m + bytes(LARGEST_MESSAGE + 1 - len(m)),
    lambda m: m + b"\xff" * 98_304,
    lambda m: m * (150_000 // len(m)),
    _with_large_target_info,
    lambda m: "TlRMTVNTUAACAAAA" + "A" * 120_000,
    _with_field(_TARGET_NAME, length=lambda m, old: 0xFFFF),
    _with_field(_TARGET_NAME, offset=lambda m, old: 0xFFFF_FFFF),
    _with_field(_TARGET_NAME, offset=lambda m, old: 0x8000_0000),
    _with_field(_TARGET_NAME, offset=lambda m, old: 0x7FFF_FFFF),
    _with_field(_TARGET_NAME, offset=lambda m, old: len(m)),
    _with_field(_TARGET_NAME, length=lambda m, old: len(m) - 55),
    _with_field(_TARGET_INFO, length=lambda m, old: 0xFFFF),
    _with_field(_TARGET_INFO, length=lambda m, old: old + 4),
    _with_field(_TARGET_INFO, length=lambda m, old: old + 1),
    _with_field(_TARGET_INFO, offset=lambda m, old: 0xFFFF_FFFF),
    # Offset and length add up to 0 in 32 bits.
    _with_field(_TARGET_INFO, offset=lambda m, old: 2**32 - struct.unpack_from("<H", m, _TARGET_INFO)[0]),
    _with_field(_TARGET_INFO, offset=lambda m, old: 0x8000_0000),
    _with_field(_TARGET_INFO, offset=lambda m, old: len(m)),
    _with_field(_TARGET_INFO, offset=lambda m, old: old + 1),
    _with_field(_TARGET_INFO, offset=lambda m, old: old + 0x1_0000),
    _with_pair_length(0, 0xFFFF),
    _with_pair_length(0, 0x0400),
    _with_pair_length(-1, 0xFFFF),
    _with_pair_length(-1, 0x0100),
    _with_pair_length(1, 0x8000),
    _with_pair_length(2, 0x7FFF),
)


def _oversized(handshakes):
    """Messages of more than 64 KiB, and lengths and offsets that point past the end."""
    # Another order than for the truncated ones, so that other servers' messages are damaged.
    for damage, handshake in zip(_OVERSIZED, itertools.cycle(reversed(handshakes))):
        yield _damaged("ntlm-oversized", handshake, damage)
