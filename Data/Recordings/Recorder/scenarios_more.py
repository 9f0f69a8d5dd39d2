"""More of what the client goes through: what servers say beside a plain yes or no."""

import dataclasses
from pathlib import Path

import landscape
import policy
import server_files
from conversation import Client, Conversation, legs, succeeding
from landscape import Site
from scenarios import require


def error_after_log_in(client: Client, site: Site, path: str) -> None:
    """The password is right, and the page is gone or closed."""
    origin = site.origins[0]
    conversation = Conversation(client, client.begin("error-page"), origin).connect()
    account = policy.account_for(origin, path)
    _, response = conversation.log_in(site.guard, account, "GET", path, succeeding(site.guard))
    require(response.status == (404 if path.startswith("/gone") else 403), f"{origin}{path}: {response}")
    conversation.connection.close()


def not_authorised(client: Client, site: Site, number: int) -> None:
    """A page that another user may see: 401, although the password is right. Other pages go on."""
    origin, kind = site.origins[0], "not-authorised"
    steps = [f"/open/{number}/start", f"/minutes/{number}/page", f"/open/{number}/next", f"/minutes/{number}/other"]
    for path in steps:
        conversation = Conversation(client, client.begin(kind), origin).connect()
        _attempt(client, conversation, site.guard, policy.account_for(origin, path), site.host, path, path)


def not_authorised_by_proxy(client: Client, number: int) -> None:
    """The same behind a proxy whose deny rule rests on the user: 407."""
    via, kind = landscape.BASIC_PROXY, "not-authorised-407"
    open_origin, secret = "http://mirror.partner.example", "http://secret.partner.example"
    steps = [
        (open_origin, f"/open/{number}/start"),
        (secret, f"/{number}/page"),
        (open_origin, f"/open/{number}/next"),
        (secret, f"/{number}/other"),
    ]
    for origin, path in steps:
        conversation = Conversation(client, client.begin(kind), origin, via=via).connect()
        _attempt(client, conversation, "basic", policy.account_for(via), via, origin + path, origin + path)


def _attempt(client, conversation, guard, account, place, path, target) -> None:
    """One request as the budget allows it; whether it should work is known from its path."""
    is_secret = "/minutes/" in path or "secret." in path
    reason = client.budget.reason(account, place, path)
    if reason:
        verdicts = [f"withheld/{reason}"] + ["evidence"] * (legs(guard) - 1)
    elif is_secret:
        verdicts = ["answered"] * (legs(guard) - 1) + ["refused"]
    else:
        verdicts = succeeding(guard)
    _, response = conversation.log_in(guard, account, "GET", target, verdicts)
    require((response.status in (401, 407)) == is_secret, f"{conversation.origin}{path}: {response}")
    if not reason:
        (client.budget.refused if is_secret else client.budget.accepted)(account, place, path)
    conversation.connection.close()


def handshake_closed(client: Client, site: Site, path: str) -> None:
    """The server closes the connection of its CHALLENGE. The client tries once more, on a new connection, and gives up."""
    origin, account = site.origins[0], policy.account_for(site.origins[0])
    exchange = client.begin("handshake-closed")
    for last in ("repeated", "withheld/exchange-failed"):
        conversation = Conversation(client, exchange, origin).connect()
        _, response = conversation.log_in("ntlm-only", account, "GET", path, ["answered", last], reconnects=True)
        require(response.status == 401 and not conversation.connection.is_open, f"{origin} keeps its connection")


def over_http2(client: Client, site: Site, path: str) -> None:
    """NTLM cannot answer on a connection that many requests share; the next scheme does, or none."""
    origin = site.origins[0]
    conversation = Conversation(client, client.begin("http2"), origin).connect()
    if site.guard == "ntlm-only":
        event, response = conversation.ask("GET", path)
        event["expected"] = {"verdict": "withheld", "reason": "connection-shared"}
        require(response.status == 401, f"{origin}: {response}")
    else:
        account = policy.account_for(origin, path)
        _, response = conversation.log_in(site.guard, account, "GET", path, succeeding(site.guard))
        require(response.status == 200, f"{origin}{path}: {response}")
    conversation.connection.close()


def allowed_redirect(client: Client, site: Site, path: str) -> None:
    """Known at one allowed origin, the client is sent to another one, which asks for itself and is answered."""
    exchange, origin = client.begin("redirect"), site.origins[0]
    conversation = Conversation(client, exchange, origin).connect()
    account = policy.account_for(origin, path)
    _, response = conversation.log_in(site.guard, account, "GET", path, succeeding(site.guard))
    require(response.status == 302, f"{origin}: {response}")
    conversation.connection.close()
    scheme, _, rest = response.values("Location")[0].partition("://")
    host, _, target = rest.partition("/")
    second = Conversation(client, exchange, f"{scheme}://{host}").connect()
    guard, account = landscape.BY_HOST[host].guard, policy.account_for(f"{scheme}://{host}", f"/{target}")
    _, response = second.log_in(guard, account, "GET", f"/{target}", succeeding(guard))
    require(response.status == 200, f"{host}/{target}: {response}")
    second.connection.close()


def stale_nonce(client: Client, site: Site, path: str) -> None:
    """The answer comes after the nonce has expired; the server says so, and takes the next one."""
    origin = site.origins[0]
    conversation = Conversation(client, client.begin("stale-nonce"), origin).connect()
    account = policy.account_for(origin, path)
    # Two legs at once: the second challenge is answered without a pause.
    _, response = conversation.log_in(
        site.guard, account, "GET", path, ["answered", "answered", "accepted"], pause=1.2
    )
    require(response.status == 200, f"{origin}{path}: {response}")
    conversation.connection.close()


def two_accounts(client: Client, site: Site, number: int) -> None:
    """Two folders of one host belong to two accounts: each has a connection of its own, which is used again."""
    origin, kind = site.origins[0], "two-accounts"
    for folder in ("day", "night"):
        path = f"/{folder}/{number}"
        conversation = Conversation(client, client.begin(kind), origin).connect()
        account = policy.account_for(origin, path)
        _, response = conversation.log_in(site.guard, account, "GET", path, succeeding(site.guard))
        require(response.status == 200, f"{origin}{path}: {response}")
        conversation.exchange = client.begin(kind)
        event, response = conversation.ask("GET", f"/{folder}/{number}/again")
        event["expected"] = {"verdict": "passed", "reason": None}
        require(response.status == 200, f"{origin}{path}: {response}")
        conversation.connection.close()


def changing_password(client: Client, site: Site, path: str) -> None:
    """A request at the host whose password changes at noon, as the budget allows it."""
    origin, account = site.origins[0], client.clerk
    reason = client.budget.reason(account, site.host, path)
    is_right = account.password == client.password_at_server
    if reason:
        verdicts = [f"withheld/{reason}", "evidence"]
    else:
        verdicts = ["answered", "accepted" if is_right else "refused"]
    conversation = Conversation(client, client.begin("password-change"), origin).connect()
    _, response = conversation.log_in(site.guard, account, "GET", path, verdicts)
    require((response.status == 200) == is_right, f"{origin}{path}: {response}")
    if not reason:
        (client.budget.accepted if is_right else client.budget.refused)(account, site.host, path)
    conversation.connection.close()


def change_at_server(client: Client, folder: Path) -> None:
    """Noon: the server's user file has another password, and the client does not know."""
    server_files.write_changing(folder / "changing", policy.CLERK_LATER)
    client.password_at_server = policy.CLERK_LATER


def change_at_client(client: Client) -> None:
    """The user types the new password: what was refused is forgotten."""
    client.clerk = dataclasses.replace(policy.CLERK, password=policy.CLERK_LATER)
    client.budget.forget(policy.CLERK)
    client.begin("password-change").password(policy.CLERK.name, "clerk-later")
