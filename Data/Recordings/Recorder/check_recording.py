#!/usr/bin/env python3
"""Checks a recording: format, counts, certificates, and every answer recomputed from its nonces and the secrets.

    check_recording.py [FOLDER]        (default: ../corporate-day)

Exit 0: nothing found; 1: findings, one a line; 2: the folder cannot be read.
"""

import collections
import json
import sys
from pathlib import Path

from check_answers import change_password, check_answer
from check_certificates import Pool
from check_policy import check_exchange

MINIMUM_EXCHANGES, MINIMUM_ORIGINS, MINIMUM_OF_KIND = 3000, 40, 24
REAL_KINDS = (
    *("ntlm-401", "ntlm-407", "offer-of-three", "basic", "basic-407", "digest-md5", "digest-sha256"),
    *("client-certificate", "pin-leaf", "pin-backup", "pin-reissued", "pin-rogue"),
    *("site-not-allowed", "plain-http", "foreign-redirect"),
    *("wrong-password", "wrong-password-again", "account-paused", "domain-missing"),
    *("error-page", "not-authorised", "not-authorised-407", "handshake-closed", "http2", "redirect", "stale-nonce"),
    *("two-accounts", "password-change", "digest-407"),
)
HOSTILE_KINDS = ("header-confusion", "ntlm-truncated", "ntlm-oversized", "lookalike-host")


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path(__file__).parent.parent / "corporate-day"
    try:
        pool = Pool(folder)
        real = read(folder / "events.ndjson", made_by_hand=False)
        hostile = read(folder / "hostile.ndjson", made_by_hand=True)
    except (OSError, ValueError) as error:
        print(f"check_recording: {folder}: {error}", file=sys.stderr)
        return 2
    findings = list(check_counts(real, REAL_KINDS)) + list(check_counts(hostile, HOSTILE_KINDS))
    origins = {e["origin"] for e in real} | {e["via"] for e in real if e.get("via")}
    exchanges = list(group(real))
    if len(exchanges) < MINIMUM_EXCHANGES or len(origins) < MINIMUM_ORIGINS:
        findings.append(f"{len(exchanges)} exchanges at {len(origins)} origins")
    checked = collections.Counter()
    for exchange in exchanges + list(group(hostile)):
        findings += [f"exchange {exchange[0]['exchange']}: {text}" for text in check_exchange(exchange, pool)]
        negotiate = None
        for event in exchange:
            if event["type"] == "password":
                change_password(event["account"], event["secret"])
            where = f"exchange {event['exchange']} leg {event['leg']}"
            findings += [f"{where}: {text}" for text in pool.check(event)]
            if answer := event.get("answer"):
                scheme, problem = check_answer(event, negotiate, folder, pool)
                checked[scheme] += 1
                findings += [f"{where}: {problem}"] if problem else []
                negotiate = answer["value"] if scheme == "NTLM NEGOTIATE" else None
    findings += pool.check_profile(folder)
    for finding in findings:
        print(finding)
    answers = ", ".join(f"{count} {scheme}" for scheme, count in sorted(checked.items()))
    print(
        f"check_recording: {len(exchanges)} exchanges and {len(list(group(hostile)))} hostile ones, "
        f"{len(origins)} origins, {len(pool)} certificates; recomputed {answers}; {len(findings)} findings"
    )
    return 1 if findings else 0


def read(path: Path, made_by_hand: bool) -> list[dict]:
    """The events of one file; raises ValueError when the header is not the one of this format."""
    with path.open(encoding="utf-8") as file:
        first, *events = [json.loads(line) for line in file]
    wanted = {"type": "header", "format": "sallyport-challenge-recording", "version": 1, "madeByHand": made_by_hand}
    if not wanted.items() <= first.items() or not {"recorded", "servers"} <= first.keys():
        raise ValueError(f"{path.name} has another header")
    return events


def group(events: list[dict]):
    """The events of one exchange after the other; they stand together in the file."""
    exchange: list[dict] = []
    for event in events:
        if exchange and event["exchange"] != exchange[0]["exchange"]:
            yield exchange
            exchange = []
        exchange.append(event)
    if exchange:
        yield exchange


def check_counts(events: list[dict], kinds: tuple[str, ...]):
    exchanges = list(group(events))
    numbers = [exchange[0]["exchange"] for exchange in exchanges]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        yield "exchange numbers do not count up by one"
    counts = collections.Counter(exchange[0]["kind"] for exchange in exchanges)
    for kind in kinds:
        if counts[kind] < MINIMUM_OF_KIND:
            yield f"only {counts[kind]} exchanges of {kind}"
    for kind in counts.keys() - set(kinds):
        yield f"unknown kind {kind}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
