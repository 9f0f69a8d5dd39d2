"""The recorded company: which host is served by which machine, on which ports, and what it demands.

Every machine has a loopback address of its own, so that all of them can have ports 80, 443 and 8443.
"""

from dataclasses import dataclass

import policy

# Machine -> loopback address. The pin-* machines answer for the same hosts at different hours of the day.
ADDRESSES = {
    "apache-domain": "127.0.10.1",
    "apache-workgroup": "127.0.10.2",
    "apache-forest": "127.0.10.3",
    "lighttpd": "127.0.10.4",
    "nginx": "127.0.10.5",
    "pin-leaf": "127.0.10.11",
    "pin-reissued": "127.0.10.12",
    "pin-backup": "127.0.10.13",
    "pin-inspected": "127.0.10.14",
    "pin-inspected-padded": "127.0.10.15",
    "pin-untrusted": "127.0.10.16",
    "pin-other-host": "127.0.10.17",
    "squid-ntlm": "127.0.10.21",
    "squid-basic": "127.0.10.22",
    "squid-digest": "127.0.10.23",
}

NTLM_PROXY = "http://proxy.acme.example:3128"
BASIC_PROXY = "http://gate.acme.example:3128"
DIGEST_PROXY = "http://dock.acme.example:3128"
PROXY_MACHINES = {NTLM_PROXY: "squid-ntlm", BASIC_PROXY: "squid-basic", DIGEST_PROXY: "squid-digest"}


@dataclass(frozen=True)
class Site:
    """One host, as its server is told to serve it.

    `guard` is what the server demands: `ntlm` (Negotiate and NTLM offered), `ntlm-only`, `three` (Negotiate, NTLM and
    Basic), `digest-md5`, `digest-sha256`, `digest-both`, `basic`, `open`, `certificate` (one is required),
    `certificate-optional`, `certificate-foreign` (optional, and only another company's authority is named).
    """

    host: str
    machine: str
    guard: str
    origins: tuple[str, ...]
    certificate: str
    realm: str = "Acme Intranet"
    redirect: str | None = None
    # Lines of the host's own, after those of its guard; Apache only.
    more: tuple[str, ...] = ()
    # Hosts with a kind of their own are left out of the everyday ones.
    is_special: bool = False
    http2: bool = False


SITES: list[Site] = []


def _site(host, machine, guard, *, http=False, https=True, ports=(443,), certificate=None, **more):
    origins = [f"https://{host}" + (f":{port}" if port != 443 else "") for port in ports] if https else []
    origins += [f"http://{host}"] if http else []
    SITES.append(Site(host, machine, guard, tuple(origins), certificate or host, **more))


def _acme(label: str) -> str:
    return f"{label}.acme.example"


# NTLM on a machine of the domain ACME: its CHALLENGE carries TARGET_TYPE_DOMAIN.
_site(_acme("wiki"), "apache-domain", "ntlm", http=True)
_site(_acme("intranet"), "apache-domain", "ntlm-only", http=True)
_site(_acme("documents"), "apache-domain", "ntlm")
_site(_acme("muenster"), "apache-domain", "ntlm-only")
_site(_acme("portal.eu"), "apache-domain", "ntlm")
_site(_acme("build"), "apache-domain", "ntlm", ports=(8443,))
_site(_acme("reports"), "apache-domain", "ntlm-only", ports=(443, 8443))
_site(_acme("kiosk"), "apache-domain", "ntlm-only", http=True, https=False)
# NTLM on stand-alone machines: TARGET_TYPE_SERVER, and NbDomainName is gss-ntlmssp's default.
_site(_acme("files"), "apache-workgroup", "ntlm")
_site(_acme("print"), "apache-workgroup", "ntlm-only")
_site(_acme("bench.lab"), "apache-workgroup", "ntlm")
_site(_acme("scope.lab"), "apache-workgroup", "ntlm-only")
# Negotiate, NTLM and Basic on one 401.
_site(_acme("portal"), "apache-domain", "three", http=True)
_site(_acme("crm"), "apache-domain", "three", realm="Customers, and those who were")
_site(_acme("erp"), "apache-domain", "three", realm='The "new" ERP')
_site(_acme("desk"), "apache-domain", "three", ports=(443, 8443))
_site(_acme("legacy"), "apache-workgroup", "three")
# Digest.
_site(_acme("charts"), "apache-domain", "digest-md5", http=True, realm="Charts")
_site(_acme("tickets"), "apache-domain", "digest-md5", realm="Tickets, all of them")
_site(_acme("status"), "apache-workgroup", "digest-md5", ports=(8443,), realm="Status")
_site(_acme("library"), "lighttpd", "digest-sha256", http=True, realm="Library")
_site(_acme("map.eu"), "lighttpd", "digest-sha256", realm="Map")
_site(_acme("canteen"), "lighttpd", "digest-sha256", ports=(8443,), realm="Canteen")
_site(_acme("sensor"), "lighttpd", "digest-sha256", http=True, https=False, realm="Sensor")
_site(_acme("museum"), "lighttpd", "digest-both", realm="Museum")
# Basic.
_site(_acme("mail"), "nginx", "basic", http=True, realm="Mail")
_site(_acme("calendar"), "nginx", "basic", ports=(443, 8443), realm="Calendar")
_site(_acme("phone"), "apache-domain", "basic", realm="Phone book")
_site(_acme("radio"), "lighttpd", "basic", realm="Radio")
_site(_acme("funk"), "lighttpd", "basic", realm="Funk")
# A certificate of the client.
_site(_acme("vpn"), "apache-domain", "certificate")
_site(_acme("admin"), "apache-domain", "certificate", ports=(8443,))
_site(_acme("mobile"), "apache-domain", "certificate")
_site(_acme("survey"), "apache-domain", "certificate-optional")
_site(_acme("guest"), "apache-domain", "certificate-foreign")
# The account without a domain meets machines where two domains know its name.
for _label in ("hr", "travel", "legal", "audit"):
    _site(_acme(_label), "apache-forest", "ntlm" if _label != "legal" else "ntlm-only")
# The stale accounts: the first ten hosts know one of the domain, the others one of their own.
STALE_GUARDS = {}
for _number in range(1, 41):
    _host = _acme(f"archive{_number:02}.old")
    if _number <= 10:
        _machine, _guard = "apache-domain", "three" if _number % 3 == 0 else "ntlm"
    elif _number <= 22:
        _machine, _guard = "nginx" if _number % 2 else "apache-domain", "basic"
    elif _number <= 32:
        _machine, _guard = "apache-domain", "digest-md5"
    else:
        _machine, _guard = "lighttpd", "digest-sha256"
    STALE_GUARDS[_host] = _guard
    _site(_host, _machine, _guard, certificate="*.old.acme.example", realm=f"Archive {_number}")
# Hosts that are open, or that redirect away once the client is known.
_site(_acme("news"), "nginx", "open", http=True)
_site(_acme("go"), "apache-domain", "basic", redirect="https://cdn.partner.example/landing", realm="Go")
_site(_acme("links"), "apache-domain", "ntlm", redirect="https://shop.partner.example/basket?from=acme")
_site(_acme("short"), "apache-domain", "digest-md5", redirect="https://quarantine.acme.example/s/9", realm="Short")
_site(_acme("jump"), "apache-domain", "basic", redirect="https://mail.acme.example/landing", realm="Jump")
_site(_acme("hop"), "apache-domain", "digest-md5", redirect="https://radio.acme.example/landing", realm="Hop")
_site(_acme("skip"), "apache-domain", "ntlm", redirect="https://library.acme.example/landing")
# Errors after the log-in: what is gone is 404, what is closed is 403.
_ERRORS = (
    "<Location />",
    "RewriteEngine On",
    'RewriteCond "%{REQUEST_URI}" "^/gone"',
    'RewriteRule "^" "-" [R=404,L]',
    'RewriteCond "%{REQUEST_URI}" "^/closed"',
    'RewriteRule "^" "-" [F]',
    "</Location>",
)
_site(_acme("shelf"), "apache-domain", "basic", realm="Shelf", more=_ERRORS, is_special=True)
_site(_acme("vault"), "apache-domain", "digest-md5", realm="Vault", more=_ERRORS, is_special=True)
# Pages for one user only: the server answers 401 to everyone else, also with the right password.
_FOR_ONE = ('<LocationMatch "^/minutes">', "Require user chair", "</LocationMatch>")
_site(_acme("board"), "apache-domain", "basic", realm="Board", more=_FOR_ONE, is_special=True)
_site(_acme("council"), "apache-domain", "digest-md5", realm="Council", more=_FOR_ONE, is_special=True)
# The connection closes after each response, so that no handshake ends.
_site(_acme("flaky"), "apache-domain", "ntlm-only", more=('SetEnvIf Request_URI "^" nokeepalive',), is_special=True)
# HTTP/2: one connection carries requests of many, so NTLM cannot answer.
_H2 = ("Protocols h2",)
_site(_acme("stream"), "apache-domain", "basic-ntlm", realm="Stream", more=_H2, is_special=True, http2=True)
_site(_acme("river"), "apache-domain", "digest-ntlm", realm="River", more=_H2, is_special=True, http2=True)
_site(_acme("flow"), "apache-domain", "ntlm-only", more=_H2, is_special=True, http2=True)
# Nonces are good for one second.
_site(_acme("clock"), "apache-domain", "digest-md5", realm="Clock", more=("<Location />", "AuthDigestNonceLifetime 1", "</Location>"), is_special=True)
# One host, two accounts; and a host whose password changes.
_site(_acme("studio"), "apache-domain", "ntlm", is_special=True)
_site(_acme("till"), "apache-domain", "basic-changing", realm="Till", is_special=True)
# Hosts that the client's rules do not allow.
_site(_acme("quarantine"), "apache-domain", "three")
_site("acme.example", "nginx", "basic", realm="Apex")
_site(_acme("git"), "nginx", "basic", ports=(9443,), realm="Git")
_site("intranet.partner.example", "apache-domain", "three", realm="Partner")
_site("docs.partner.example", "apache-workgroup", "ntlm-only")
_site("ledger.partner.example", "lighttpd", "digest-sha256", realm="Ledger")
_site("cdn.partner.example", "nginx", "basic", certificate="*.partner.example", realm="CDN")
_site("shop.partner.example", "nginx", "basic", certificate="*.partner.example", realm="Shop")
_site("inbox.partner.example", "nginx", "basic", http=True, https=False, realm="Inbox")
# Plain origins behind the proxies.
_site("mirror.partner.example", "nginx", "open", http=True, https=False)
_site("packages.partner.example", "lighttpd", "open", http=True, https=False)
_site("secret.partner.example", "nginx", "open", http=True, https=False)
_site("weather.partner.example", "nginx", "open", http=True, certificate="*.partner.example")

# Hosts with a pinned key; which machine answers for them depends on the hour.
LEAF_PINNED = (_acme("login"), _acme("sso"), _acme("payroll"))
ISSUER_PINNED = (_acme("api.pay"), _acme("cards.pay"))
PINNED = LEAF_PINNED + ISSUER_PINNED

BY_HOST = {site.host: site for site in SITES}


def on_machine(machine: str) -> list[Site]:
    """The sites that one machine serves, in the order in which they are declared."""
    return [site for site in SITES if site.machine == machine]


def with_guard(*guards: str) -> list[tuple[Site, str]]:
    """Every (site, origin) with one of the guards to which credentials may go; hosts that redirect are left out."""
    return [
        (site, origin)
        for site in SITES
        if site.guard in guards and site.redirect is None
        for origin in site.origins
        if policy.is_allowed(origin)
    ]
