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
    # Whether Basic may answer over plain http.
    cleartext: bool = False

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
    "http://dock.acme.example:3128",
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
        # The most specific host decides alone, so this one has to be named beside its folder for another account.
        "studio.acme.example",
    ),
)
# A password outside ASCII, in UTF-16 inside NTLM. (The name is not: gss-ntlmssp 1.2 refuses such users.)
JUERGEN = Account(
    "juergen",
    "juergen",
    "ACME",
    "Grüße-aus-Münster",
    # Also one folder of a host whose other folders are jdoe's.
    ("muenster.acme.example", "studio.acme.example/night"),
)
# A name and a password outside ASCII, in UTF-8 inside Basic.
FUNK = Account("funk", "jürgen", None, "Grüße-aus-Münster", ("funk.acme.example",))
# The proxy's own account; its Basic user has no domain.
GATE = Account("gate", "gate", None, "Drawbridge-7", ("http://gate.acme.example:3128",), cleartext=True)
# The account of the proxy that asks for Digest.
DOCK = Account("dock", "dock", None, "Quay-9", ("http://dock.acme.example:3128",))
# An account whose password changes at noon, and what it is changed to.
CLERK = Account("clerk", "clerk", None, "Before-Noon", ("till.acme.example",))
CLERK_LATER = "After-Noon"
# A password that every server has since replaced: of an account of the domain, and of one that each host has of its own.
STALE = Account(
    "stale", "mmuster", "ACME", "Summer-2019", tuple(f"archive{number:02}.old.acme.example" for number in range(1, 11))
)
STALE_LOCAL = Account("stale-local", "mmuster", None, "Summer-2019", ("*.old.acme.example",))
# An account without its domain; the servers that ask for it have two users with this name.
BARE = Account("bare", "jdoe", None, "Correct-Horse", FOREST_HOSTS)
# No domain either, but these servers are stand-alone machines and want none.
LAB = Account("lab", "labuser", None, "Bunsen-Burner", ("*.lab.acme.example",))

ACCOUNTS = (JDOE, JUERGEN, FUNK, GATE, DOCK, CLERK, STALE, STALE_LOCAL, BARE, LAB)

# What the servers believe the stale account's password to be.
REPLACED_PASSWORD = "Autumn-2026"
# The other jdoe, in another domain of the same forest, whom the forest's servers list first.
OTHER_DOMAIN, OTHER_PASSWORD = "PARTNER", "Another-Horse"


def split_origin(origin: str) -> tuple[str, str, int]:
    """Scheme, host and port of an origin; the scheme's own port when none is written."""
    parts = urlsplit(origin)
    return parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]


def host_rank(rule: str, origin: str) -> tuple[int, int] | None:
    """How specifically a rule names the host of an origin, greater is more specific; None when it names another one."""
    rule_scheme, _, rest = rule.removeprefix("!").rpartition("://")
    rule_scheme = rule_scheme or "https"
    rule_host, _, rule_port = rest.partition("/")[0].partition(":")
    scheme, host, port = split_origin(origin)
    if scheme != rule_scheme or port != int(rule_port or DEFAULT_PORTS[rule_scheme]):
        return None
    if rule_host.startswith("*."):
        # One or more labels to the left of the rest, never the rest itself.
        if not host.endswith(rule_host[1:]) or host == rule_host[2:]:
            return None
    elif host != rule_host:
        return None
    return not rule_host.startswith("*."), rule_host.count(".")


def path_rank(rule: str, path: str) -> tuple[int, bool] | None:
    """How specifically a rule covers a path; an exception comes before a permission."""
    segments = [part for part in rule.rpartition("://")[2].partition("/")[2].split("/") if part]
    asked = [part for part in path.split("?")[0].split("/") if part]
    return (len(segments), rule.startswith("!")) if asked[: len(segments)] == segments else None


def deciding(rules: list[tuple[str, str]], origin: str, path: str) -> tuple[str, str] | None:
    """The rule that decides, of pairs of a rule and its owner. The most specific host decides alone: if its rules do not
    cover the path, no wider rule is asked."""
    named = [(rank, rule, owner) for rule, owner in rules if (rank := host_rank(rule, origin)) is not None]
    best = max((rank for rank, _, _ in named), default=None)
    covering = [
        (rank, rule, owner)
        for host, rule, owner in named
        if host == best and (rank := path_rank(rule, path)) is not None
    ]
    return max(covering)[1:] if covering else None


def is_allowed(origin: str, path: str = "/") -> bool:
    """Whether credentials may go to this origin and path."""
    rule = deciding([(rule, "") for rule in SITES], origin, path)
    return rule is not None and not rule[0].startswith("!")


def account_for(origin: str, path: str = "/") -> Account | None:
    """The account whose rule is the most specific one for this origin and path."""
    rule = deciding([(rule, account.name) for account in ACCOUNTS for rule in account.sites], origin, path)
    return next((account for account in ACCOUNTS if rule and account.name == rule[1]), None)
