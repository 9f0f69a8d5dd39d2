"""The order of the day: which exchanges happen, how many, and when.

Every exchange gets an hour between 0 and 1 from a seeded generator; sorting by it shuffles the kinds while it keeps
what must come in order: a rotation of keys, and a second try after a first one.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import landscape
import policy
import scenarios
import scenarios_more
from conversation import Client
from landscape import with_guard

SEED = 20260417

_PATHS = (
    "/",
    "/index.html",
    "/start/today",
    "/spaces/ENG/pages/1182",
    "/spaces/HR/pages/77?version=4",
    "/search?q=travel+expenses&page=2",
    "/api/v2/issues/4711/comments",
    "/api/v2/issues?state=open&limit=50",
    "/download/minutes-2026-03.pdf",
    "/img/logo.svg",
    "/jobs/nightly/lastBuild/console",
    "/reports/2026/q1/summary.html?format=wide",
    "/menu/week/17",
    "/team/sites/design/default.aspx",
    "/feeds/all.xml",
)
_PACKAGE_PATHS = (
    "/debian/dists/stable/InRelease",
    "/debian/pool/main/s/swift/swift_6.0.deb",
    "/simple/index.html",
    "/generate_204.html",
    "/forecast/berlin?days=3",
)


@dataclass(order=True)
class Task:
    """One exchange to come, at its hour."""

    hour: float
    number: int
    run: Callable[[Client], None] = field(compare=False)


class Day:
    """Collects tasks; `tasks` gives them in order."""

    def __init__(self, work: Path) -> None:
        self._work = work
        self._random = random.Random(SEED)
        self._tasks: list[Task] = []

    def tasks(self) -> list[Task]:
        return sorted(self._tasks)

    def _at(self, run: Callable[[Client], None], start: float = 0.0, end: float = 1.0) -> float:
        hour = self._random.uniform(start, end)
        self._tasks.append(Task(hour, len(self._tasks), run))
        return hour

    def _path(self) -> str:
        return self._random.choice(_PATHS)

    def plan(self) -> "Day":
        self._log_ins()
        self._proxies()
        self._trust()
        self._refusals()
        self._stale_passwords()
        self._beyond_yes_and_no()
        self._noon()
        return self

    def _beyond_yes_and_no(self) -> None:
        host = landscape.BY_HOST
        for number in range(36):
            site = host[("shelf", "vault")[number % 2] + ".acme.example"]
            self._do(scenarios_more.error_after_log_in, site, f"/{('gone', 'closed')[number // 2 % 2]}/{number}")
            self._do(scenarios_more.handshake_closed, host["flaky.acme.example"], self._path())
            site = host[("stream", "river", "flow")[number % 3] + ".acme.example"]
            self._do(scenarios_more.over_http2, site, self._path())
            site = host[("jump", "hop", "skip")[number % 3] + ".acme.example"]
            self._do(scenarios_more.allowed_redirect, site, self._path())
        for number in range(24):
            self._do(scenarios_more.stale_nonce, host["clock.acme.example"], self._path())
        for number in range(8):
            site = host[("board", "council")[number % 2] + ".acme.example"]
            self._do(scenarios_more.not_authorised, site, number)
            self._do(scenarios_more.not_authorised_by_proxy, number)
            self._do(scenarios_more.two_accounts, host["studio.acme.example"], number)

    def _noon(self) -> None:
        """The password changes at the server at noon, and at the client in the afternoon."""
        site = landscape.BY_HOST["till.acme.example"]
        for count, start, end in ((12, 0.0, 0.5), (10, 0.5, 0.7), (12, 0.7, 1.0)):
            for number in range(count):
                path = f"/{('cash', 'cards')[number % 2]}/{number}"
                self._at(lambda c, path=path: scenarios_more.changing_password(c, site, path), start, end)
        folder = self._work / site.machine
        self._at(lambda c: scenarios_more.change_at_server(c, folder), 0.5, 0.5)
        self._at(lambda c: scenarios_more.change_at_client(c), 0.7, 0.7)

    def _do(self, scenario, *arguments) -> None:
        self._at(lambda c: scenario(c, *arguments))

    def _log_ins(self) -> None:
        for kind, guards, count in (
            ("ntlm-401", ("ntlm", "ntlm-only"), 320),
            ("offer-of-three", ("three",), 280),
            ("digest-md5", ("digest-md5",), 270),
            ("digest-sha256", ("digest-sha256", "digest-both"), 270),
            ("basic", ("basic",), 300),
        ):
            known = [(site, origin) for site, origin in with_guard(*guards) if not _is_special(site)]
            for number in range(count):
                site, origin = known[number % len(known)]
                method = self._random.choices(("GET", "HEAD", "POST"), (88, 6, 6))[0]
                if site.machine in ("nginx", "lighttpd") or kind in ("ntlm-401", "offer-of-three"):
                    # Static files take no POST there, and a body would be lost in NTLM's first legs.
                    method = "HEAD" if method == "POST" else method
                keep = kind in ("ntlm-401", "offer-of-three") and number % 5 == 0
                self._log_in(kind, site, origin, method, keep)

    def _log_in(self, kind, site, origin, method, keep) -> None:
        path, again = self._path(), self._path()
        hour = self._at(lambda c: scenarios.log_in(c, kind, site, origin, method, path, keep), 0, 0.9 if keep else 1)
        if keep:
            self._at(lambda c: origin in c.kept and scenarios.ask_again(c, origin, "GET", again), hour, hour + 0.1)

    def _proxies(self) -> None:
        plain = [f"http://{host}.partner.example" for host in ("mirror", "packages", "weather")]
        plain += ["http://news.acme.example"]
        open_sites = [landscape.BY_HOST["news.acme.example"], landscape.BY_HOST["weather.partner.example"]]
        inside = [s for s, _ in with_guard("ntlm", "three", "digest-md5", "basic") if not _is_special(s)]
        for kind, count in (("ntlm-407", 320), ("basic-407", 240), ("digest-407", 120)):
            for number in range(count):
                if number % 4 < 2:
                    origin, path = plain[number // 4 % len(plain)], self._random.choice(_PACKAGE_PATHS)
                    self._plain_behind_proxy(kind, origin, path, keep=kind == "ntlm-407" and number % 12 == 0)
                elif number % 8 == 7:
                    site = inside[number // 8 % len(inside)]
                    self._tunnel(kind, site)
                else:
                    self._tunnel(kind, open_sites[number % len(open_sites)])

    def _plain_behind_proxy(self, kind, origin, path, keep) -> None:
        hour = self._at(lambda c: scenarios.through_proxy(c, kind, origin, "GET", path, keep), 0, 0.9 if keep else 1)
        if keep:
            party = landscape.NTLM_PROXY
            self._at(lambda c: party in c.kept and scenarios.ask_again(c, party, "GET", path), hour, hour + 0.02)

    def _tunnel(self, kind, site) -> None:
        path, origin = self._path(), site.origins[0]
        self._at(lambda c: scenarios.through_tunnel(c, kind, site, origin, path))

    def _trust(self) -> None:
        certified = [s for s in landscape.SITES if s.guard.startswith("certificate")]
        weighted = [s for s in certified for _ in range(3 if s.guard == "certificate" else 1)]
        for site, _ in zip(itertools.cycle(weighted), range(66)):
            self._certificate(site.origins[0])
        for machine, hosts, count, start, end in (
            ("pin-leaf", landscape.PINNED, 60, 0.0, 0.5),
            ("pin-reissued", landscape.LEAF_PINNED, 42, 0.3, 0.6),
            ("pin-backup", landscape.PINNED, 45, 0.6, 1.0),
        ):
            for host, _ in zip(itertools.cycle(hosts), range(count)):
                self._pinned(machine, f"https://{host}", start, end)
        rogues = ("pin-inspected", "pin-inspected-padded", "pin-untrusted", "pin-inspected", "pin-other-host")
        for number in range(60):
            # Host and machine turn at different speeds, so that all pairs occur.
            self._rogue(rogues[number % 5], f"https://{landscape.PINNED[number // 5 % 5]}")

    def _certificate(self, origin) -> None:
        path = self._path()
        self._at(lambda c: scenarios.client_certificate(c, origin, path))

    def _pinned(self, machine, origin, start, end) -> None:
        path = self._path()
        self._at(lambda c: scenarios.pinned(c, machine, origin, path), start, end)

    def _rogue(self, machine, origin) -> None:
        self._at(lambda c: scenarios.rogue(c, machine, origin))

    def _refusals(self) -> None:
        refused = [o for s in landscape.SITES for o in s.origins if _is_foreign(s) and s.guard != "open"]
        for origin, _ in zip(itertools.cycle(refused), range(70)):
            self._withheld("site-not-allowed", origin, self._path())
        for number in range(8):
            # An exception by path, on a host that is otherwise allowed.
            self._withheld("site-not-allowed", "https://files.acme.example", f"/export/{number}.zip")
        for _ in range(8):
            path = self._path()
            self._at(lambda c, path=path: scenarios.withheld_behind_proxy(c, "http://inbox.partner.example", path))
        plain = [o for s in landscape.SITES for o in s.origins if o.startswith("http:") and _is_plain_twin(s)]
        for origin, _ in zip(itertools.cycle(plain), range(54)):
            self._withheld("plain-http", origin, self._path())
        for site, _ in zip(itertools.cycle(_foreign_redirects()), range(42)):
            self._redirect(site)
        for site, _ in zip(itertools.cycle(landscape.on_machine("apache-forest")), range(48)):
            self._domain_missing(site)

    def _withheld(self, kind, origin, path) -> None:
        method = self._random.choice(("GET", "GET", "GET", "HEAD"))
        self._at(lambda c: scenarios.withheld(c, kind, origin, method, path))

    def _redirect(self, site) -> None:
        path = self._path()
        self._at(lambda c: scenarios.foreign_redirect(c, site, site.origins[0], path))

    def _domain_missing(self, site) -> None:
        path = self._path()
        self._at(lambda c: scenarios.domain_missing(c, site, site.origins[0], path))

    def _stale_passwords(self) -> None:
        for number, host in enumerate(landscape.STALE_GUARDS):
            for _ in range(4 if number < 10 else 2 + number % 2):
                self._stale(landscape.BY_HOST[host])

    def _stale(self, site) -> None:
        path, origin = self._path(), site.origins[0]
        self._at(lambda c: scenarios.wrong_password(c, site, origin, path))


def _is_special(site: landscape.Site) -> bool:
    """Hosts that have a kind of their own."""
    return site.is_special or site.host in landscape.STALE_GUARDS or site.machine == "apache-forest"


def _foreign_redirects() -> list[landscape.Site]:
    """Hosts that redirect to an origin that the rules do not allow."""
    return [s for s in landscape.SITES if s.redirect and not policy.is_allowed(*_parts(s.redirect))]


def _parts(url: str) -> tuple[str, str]:
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    return f"{scheme}://{host}", f"/{path}"


def _is_foreign(site: landscape.Site) -> bool:
    """Hosts none of whose origins may have credentials; plain twins of allowed hosts do not count."""
    return not any(policy.is_allowed(origin) for origin in site.origins)


def _is_plain_twin(site: landscape.Site) -> bool:
    """Allowed over https, and asking over http as well."""
    allowed = {origin.partition("://")[0] for origin in site.origins if policy.is_allowed(origin)}
    return allowed == {"https"} and site.guard != "open"
