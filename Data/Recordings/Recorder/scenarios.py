"""What the client goes through: one function for each kind of exchange.

A scenario states the verdict that policy demands at each step; whether the servers' answers agree is checked at once
(`require`) and again, over the files, by check_recording.py.
"""

import landscape
import policy
from conversation import Client, Conversation, legs, succeeding
from landscape import Site


def require(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(f"a server did not do what the scenario is about: {message}")


def log_in(client: Client, kind: str, site: Site, origin: str, method: str, path: str, keep: bool = False) -> None:
    """A challenge at an allowed origin, answered and accepted. `keep` leaves the connection to a later exchange."""
    account = policy.account_for(origin, path)
    conversation = Conversation(client, client.begin(kind), origin).connect()
    _, response = conversation.log_in(site.guard, account, method, path, succeeding(site.guard))
    require(response.status == 200, f"{origin}{path}: {response}")
    _finish(client, origin, kind, conversation, keep)


def _finish(client: Client, party: str, kind: str, conversation: Conversation, keep: bool) -> None:
    if keep and conversation.connection.is_open and party not in client.kept:
        client.kept[party] = (kind, conversation)
    else:
        conversation.connection.close()


def ask_again(client: Client, party: str, method: str, path: str) -> None:
    """A second request on a connection that NTLM has authenticated: no challenge comes."""
    kind, conversation = client.kept.pop(party)
    conversation.exchange = client.begin(kind)
    origin = conversation.origin
    event, response = conversation.ask(method, origin + path if conversation.via else path)
    event["expected"] = {"verdict": "passed", "reason": None}
    require(response.status == 200, f"{party}: {response}")
    conversation.connection.close()


def through_proxy(client: Client, kind: str, origin: str, method: str, path: str, keep: bool = False) -> None:
    """A plain origin behind a proxy that answers 407."""
    via, guard = _proxy(kind)
    conversation = Conversation(client, client.begin(kind), origin, via=via).connect()
    account = policy.account_for(via)
    _, response = conversation.log_in(guard, account, method, origin + path, succeeding(guard))
    require(response.status == 200, f"{via} {origin}: {response}")
    _finish(client, via, kind, conversation, keep)


def through_tunnel(client: Client, kind: str, site: Site, origin: str, path: str) -> None:
    """CONNECT answered with 407; then TLS inside the tunnel, and a request that the origin may challenge as well."""
    via, guard = _proxy(kind)
    _, host, port = policy.split_origin(origin)
    conversation = Conversation(client, client.begin(kind), origin, via=via).connect()
    target = f"{host}:{port}"
    _, response = conversation.log_in(guard, policy.account_for(via), "CONNECT", target, succeeding(guard))
    require(response.status == 200, f"{via} CONNECT {target}: {response}")
    conversation.enter_tunnel({"verdict": "trusted", "reason": "not-pinned"})
    if site.guard == "open":
        event, response = conversation.ask("GET", path)
        event["expected"] = {"verdict": "passed", "reason": None}
    else:
        account = policy.account_for(origin, path)
        _, response = conversation.log_in(site.guard, account, "GET", path, succeeding(site.guard))
    require(response.status == 200, f"{origin} inside a tunnel: {response}")
    conversation.connection.close()


def _proxy(kind: str) -> tuple[str, str]:
    return {
        "ntlm-407": (landscape.NTLM_PROXY, "ntlm-only"),
        "basic-407": (landscape.BASIC_PROXY, "basic"),
        "digest-407": (landscape.DIGEST_PROXY, "digest-md5"),
    }[kind]


def client_certificate(client: Client, origin: str, path: str) -> None:
    """The server asks for a certificate inside the handshake; the request itself is not challenged."""
    conversation = Conversation(client, client.begin("client-certificate"), origin).connect()
    require(conversation.connection.handshake.authorities is not None, f"{origin} asked for no certificate")
    _pass(conversation, path)


def pinned(client: Client, machine: str, origin: str, path: str) -> None:
    """A genuine chain for a pinned host, from the machine that answers at this hour."""
    conversation = _to_pinned_host(client, machine, machine, origin)
    reason = "pinned-backup" if machine == "pin-backup" else "pinned"
    event = conversation.start_tls({"verdict": "trusted", "reason": reason})
    require(event["validated"] is not None, f"{origin} on {machine}: {event['validationError']}")
    _pass(conversation, path)


def rogue(client: Client, machine: str, origin: str) -> None:
    """A forged chain for a pinned host: the client hangs up after the handshake."""
    conversation = _to_pinned_host(client, "pin-rogue", machine, origin)
    validates = machine.startswith("pin-inspected")
    reason = "pin-mismatch" if validates else "not-validated"
    event = conversation.start_tls({"verdict": "rejected", "reason": reason})
    require((event["validated"] is not None) == validates, f"{origin} on {machine}: {event['validationError']}")
    conversation.connection.close()


def _to_pinned_host(client: Client, kind: str, machine: str, origin: str) -> Conversation:
    conversation = Conversation(client, client.begin(kind), origin)
    conversation.open(machine)
    return conversation


def _pass(conversation: Conversation, path: str) -> None:
    event, response = conversation.ask("GET", path)
    event["expected"] = {"verdict": "passed", "reason": None}
    require(response.status == 200, f"{conversation.origin}: {response}")
    conversation.connection.close()


def withheld(client: Client, kind: str, origin: str, method: str, path: str) -> None:
    """A challenge from an origin that may not receive credentials: the client sends no answer."""
    require(not policy.is_allowed(origin, path), f"{origin}{path} is allowed after all")
    conversation = Conversation(client, client.begin(kind), origin).connect()
    _withhold(conversation, method, path)


def _withhold(conversation: Conversation, method: str, target: str, answer=None) -> None:
    event, response = conversation.ask(method, target, answer)
    event["expected"] = {"verdict": "withheld", "reason": "site-not-allowed"}
    require(response.status == 401, f"{conversation.origin}: {response}")
    conversation.connection.close()


def withheld_behind_proxy(client: Client, origin: str, path: str) -> None:
    """The proxy is answered and lets the request through; the origin behind it then asks for itself, in vain."""
    via, account = landscape.BASIC_PROXY, policy.account_for(landscape.BASIC_PROXY)
    conversation = Conversation(client, client.begin("site-not-allowed"), origin, via=via).connect()
    verdicts = ["answered", "withheld/site-not-allowed"]
    _, response = conversation.log_in("basic", account, "GET", origin + path, verdicts)
    require(response.status == 401 and bool(response.values("WWW-Authenticate")), f"{origin}: {response}")
    conversation.connection.close()


def foreign_redirect(client: Client, site: Site, origin: str, path: str) -> None:
    """Known at an allowed origin, the client is sent to another one, which asks as well."""
    exchange = client.begin("foreign-redirect")
    conversation = Conversation(client, exchange, origin).connect()
    account = policy.account_for(origin, path)
    _, response = conversation.log_in(site.guard, account, "GET", path, succeeding(site.guard))
    require(response.status == 302, f"{origin}: {response}")
    conversation.connection.close()
    scheme, _, rest = response.values("Location")[0].partition("://")
    host, _, target = rest.partition("/")
    require(not policy.is_allowed(f"{scheme}://{host}", f"/{target}"), f"{origin} redirects to an allowed site")
    _withhold(Conversation(client, exchange, f"{scheme}://{host}").connect(), "GET", f"/{target}")


def wrong_password(client: Client, site: Site, origin: str, path: str) -> None:
    """A stale account: what the budget allows is refused; the rest is withheld, and sent here only for the evidence."""
    account = policy.account_for(origin)
    reason, count = client.budget.reason(account, site.host, path), legs(site.guard)
    if reason:
        verdicts = [f"withheld/{reason}"] + ["evidence"] * (count - 1)
    else:
        verdicts = ["answered"] * (count - 1) + ["refused"]
        client.budget.refused(account, site.host, path)
    kind = {None: "wrong-password", "budget-spent": "wrong-password-again"}.get(reason, reason)
    conversation = Conversation(client, client.begin(kind), origin).connect()
    _, response = conversation.log_in(site.guard, account, "GET", path, verdicts)
    require(response.status == 401, f"{origin} accepts a stale password: {response}")
    conversation.connection.close()


def domain_missing(client: Client, site: Site, origin: str, path: str) -> None:
    """The CHALLENGE comes from a machine of a domain, and the account has none."""
    conversation = Conversation(client, client.begin("domain-missing"), origin).connect()
    verdicts = ["answered", "withheld/domain-required", "evidence"]
    _, response = conversation.log_in(site.guard, policy.account_for(origin), "GET", path, verdicts)
    require(response.status == 401, f"{origin} wants no domain: {response}")
    conversation.connection.close()
