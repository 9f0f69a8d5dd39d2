"""What the recorded client may do: site rules, accounts and the naive matcher that the recorder checks itself with.

The rules are written into profile.yaml, which the replay compiles with its own engine. The matcher below is the slow,
obvious reading of the same rules, kept apart from that engine on purpose.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Account:
    """A user name and a password that the client holds, and the sites that it is meant for."""

    name: str
    user: str
    domain: str | None
    password: str
    sites: tuple[str, ...]

    @property
    def qualified_user(self) -> str:
        """`DOMAIN\\user`, or the user alone when the account has no domain."""
        return f"{self.domain}\\{self.user}" if self.domain else self.user


# The site rules of the client: [!][scheme://]host[:port][/path].
SITES = (
    "*.acme.example",
    "*.acme.example:8443",
    "http://kiosk.acme.example",
    "http://sensor.acme.example",
    "http://proxy.acme.example:3128",
    "http://gate.acme.example:3128",
    "files.acme.example",
    "!files.acme.example/export",
    "!quarantine.acme.example",
)

FOREST_HOSTS = ("hr.acme.example", "travel.acme.example", "legal.acme.example", "audit.acme.example")

JDOE = Account(
    "jdoe",
    "jdoe",
    "ACME",
    "Correct-Horse",
    (
        "*.acme.example",
        "*.acme.example:8443",
        "http://kiosk.acme.example",
        "http://sensor.acme.example",
        "http://proxy.acme.example:3128",
    ),
)
# A password outside ASCII, in UTF-16 inside NTLM. (The name is not: gss-ntlmssp 1.2 refuses such users.)
JUERGEN = Account("juergen", "juergen", "ACME", "Grüße-aus-Münster", ("muenster.acme.example",))
# A name and a password outside ASCII, in UTF-8 inside Basic.
FUNK = Account("funk", "jürgen", None, "Grüße-aus-Münster", ("funk.acme.example",))
# The proxy's own account; its Basic user has no domain.
GATE = Account("gate", "gate", None, "Drawbridge-7", ("http://gate.acme.example:3128",))
# A password that every server has since replaced.
STALE = Account("stale", "mmuster", "ACME", "Summer-2019", ("*.old.acme.example",))
# An account without its domain; the servers that ask for it have two users with this name.
BARE = Account("bare", "jdoe", None, "Correct-Horse", FOREST_HOSTS)
# No domain either, but these servers are stand-alone machines and want none.
LAB = Account("lab", "labuser", None, "Bunsen-Burner", ("*.lab.acme.example",))

ACCOUNTS = (JDOE, JUERGEN, FUNK, GATE, STALE, BARE, LAB)

# What the servers believe the stale account's password to be.
REPLACED_PASSWORD = "Autumn-2026"
# The other jdoe, in another domain of the same forest, whom the forest's servers list first.
OTHER_DOMAIN, OTHER_PASSWORD = "PARTNER", "Another-Horse"


def split_origin(origin: str) -> tuple[str, str, int]:
    """Scheme, host and port of an origin; the scheme's own port when none is written."""
    parts = urlsplit(origin)
    return parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]


def rule_matches(rule: str, origin: str, path: str) -> tuple[int, int, int, int] | None:
    """How specifically a rule matches, greater is more specific; None when it does not match."""
    denies = rule.startswith("!")
    rule = rule.removeprefix("!")
    rule_scheme, _, rest = rule.rpartition("://")
    rule_scheme = rule_scheme or "https"
    authority, _, rule_path = rest.partition("/")
    rule_host, _, rule_port = authority.partition(":")
    scheme, host, port = split_origin(origin)
    if scheme != rule_scheme or port != int(rule_port or DEFAULT_PORTS[rule_scheme]):
        return None
    if rule_host.startswith("*."):
        # One or more labels to the left of the rest, never the rest itself.
        if not host.endswith(rule_host[1:]) or host == rule_host[2:]:
            return None
    elif host != rule_host:
        return None
    segments = [part for part in rule_path.split("/") if part]
    asked = [part for part in path.split("?")[0].split("/") if part]
    if asked[: len(segments)] != segments:
        return None
    return (not rule_host.startswith("*."), rule_host.count("."), len(segments), denies)


def is_allowed(origin: str, path: str = "/") -> bool:
    """Whether credentials may go to this origin and path."""
    matches = [(rank, rule) for rule in SITES if (rank := rule_matches(rule, origin, path))]
    return bool(matches) and not max(matches)[1].startswith("!")


def account_for(origin: str, path: str = "/") -> Account | None:
    """The account whose rule is the most specific one for this origin and path."""
    matches = [
        (rank, account.name)
        for account in ACCOUNTS
        for rule in account.sites
        if (rank := rule_matches(rule, origin, path))
    ]
    return next((a for a in ACCOUNTS if matches and a.name == max(matches)[1]), None)
