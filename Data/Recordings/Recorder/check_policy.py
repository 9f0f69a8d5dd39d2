"""Whether the verdicts of one exchange fit its statuses, and the naive reading of the site rules."""

import policy

VERDICTS = {"answered", "repeated", "noted", "withheld", "accepted", "refused", "passed", "evidence", "trusted", "rejected"}
REASONS = {
    "trusted": {"pinned", "pinned-backup", "not-pinned"},
    "rejected": {"pin-mismatch", "not-validated"},
    "withheld": {
        "site-not-allowed",
        "domain-required",
        "budget-spent",
        "account-paused",
        "path-withheld",
        "connection-shared",
        "exchange-failed",
        "malformed-challenge",
        "no-supported-scheme",
    },
}
ACCEPTED_ERRORS = {("accepted", 403), ("accepted", 404)}
# What was sent although policy forbids it, for the sake of the server's reply.
SENT_ANYWAY = {"domain-required", "budget-spent", "account-paused", "path-withheld"}


def check_exchange(exchange: list[dict], pool):
    """Yields findings about one exchange."""
    if [event["leg"] for event in exchange] != list(range(len(exchange))):
        yield "legs do not count up from 0"
    if len({event["kind"] for event in exchange}) != 1:
        yield "more than one kind"
    if [event["time"] for event in exchange] != sorted(event["time"] for event in exchange):
        yield "times run backwards"
    for event in exchange:
        verdict, reason = event["expected"]["verdict"], event["expected"]["reason"]
        if verdict not in VERDICTS or reason not in REASONS.get(verdict, {None}):
            yield f"leg {event['leg']}: no such verdict: {verdict}/{reason}"
    responses = [event for event in exchange if event["type"] == "response"]
    withheld = False
    for event in responses:
        for text in _check_response(event, event is responses[-1], withheld):
            yield f"leg {event['leg']}: {text}"
        withheld |= event["expected"]["verdict"] == "withheld"


def _check_response(event: dict, is_last: bool, withheld: bool):
    verdict, reason, status = event["expected"]["verdict"], event["expected"]["reason"], event["status"]
    challenged = status in (401, 407)
    # What is gone or closed is told only to those who have logged in.
    if verdict in ("accepted", "passed") and status >= 400 and (verdict, status) not in ACCEPTED_ERRORS:
        yield f"{verdict}, but the status is {status}"
    if verdict in ("answered", "repeated", "withheld", "refused") and not challenged:
        yield f"{verdict}, but the status is {status}"
    if verdict == "evidence" and not (withheld and challenged):
        yield f"evidence of nothing: status {status}"
    if withheld and verdict != "evidence":
        yield f"{verdict} after something was withheld"
    must_answer = verdict == "answered" or reason in SENT_ANYWAY
    # Evidence may be answered as well: the second leg of an NTLM log-in that was withheld.
    if (event["answer"] is not None) != must_answer and verdict != "evidence":
        yield f"{verdict}/{reason} with answer {event['answer'] is not None}"
    if event["answer"] and is_last:
        yield "answered, and no response follows"
    if verdict in ("answered", "withheld"):
        yield from _check_site(event)


def _check_site(event: dict):
    """The party that asks is allowed exactly where the verdict says so, and its account is the one that answered."""
    proxied = event["status"] == 407
    origin = event["via"] if proxied else event["origin"].lower()
    path = "/" if proxied else event["target"].removeprefix(event["origin"]) or "/"
    allowed = policy.is_allowed(origin, path)
    if allowed == (event["expected"]["reason"] == "site-not-allowed"):
        yield f"{origin}{path} is {'allowed' if allowed else 'not allowed'}"
    account = policy.account_for(origin, path)
    if event["answer"] and (account is None or account.name != event["answer"]["account"]):
        yield f"answered as {event['answer']['account']}, which is not this site's account"
    if event["expected"]["reason"] in ("malformed-challenge", "no-supported-scheme") and account is None:
        yield f"{origin} has no account that could leak"
