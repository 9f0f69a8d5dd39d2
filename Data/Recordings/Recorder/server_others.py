"""lighttpd (Digest SHA-256, Basic) and nginx (chains of three, Basic, the pinned hosts on all their machines)."""

from pathlib import Path

import landscape
import passwords
import policy
from certificates import file_name
from processes import Fleet
from server_files import write_htpasswd

LIGHTTPD_ALGORITHMS = {"digest-sha256": "SHA-256", "digest-both": "SHA-256|MD5"}


def start_lighttpd(fleet: Fleet, work: Path) -> None:
    """One process, one address; hosts by SNI and Host."""
    folder = work / "lighttpd"
    folder.mkdir()
    (folder / "page.html").write_text("<p>lighttpd</p>\n")
    sites = landscape.on_machine("lighttpd")
    write_htpasswd(folder / "htpasswd")
    lines = []
    for site in sites:
        if site.guard == "digest-both":
            lines += passwords.htdigest_lines(site.realm, "MD5")
        if site.guard in LIGHTTPD_ALGORITHMS:
            lines += passwords.htdigest_lines(site.realm, "SHA-256")
    (folder / "htdigest").write_text("".join(f"{line}\n" for line in lines))
    (folder / "lighttpd.conf").write_text(_lighttpd_configuration(work, sites))
    fleet.start("lighttpd", ["/usr/sbin/lighttpd", "-D", "-f", str(folder / "lighttpd.conf")])
    fleet.wait_for_port("lighttpd", landscape.ADDRESSES["lighttpd"], 8443)


def _lighttpd_configuration(work: Path, sites: list[landscape.Site]) -> str:
    folder, address = work / "lighttpd", landscape.ADDRESSES["lighttpd"]
    default = work / "tls" / file_name(sites[0].certificate)
    tls = f'ssl.engine = "enable"\nssl.pemfile = "{default}.pem"\nssl.privkey = "{default}.key"'
    lines = [
        'server.modules = ("mod_rewrite", "mod_auth", "mod_authn_file", "mod_openssl")',
        f'server.document-root = "{folder}"',
        f'server.bind = "{address}"',
        "server.port = 80",
        'server.username = "www-data"',
        'server.groupname = "www-data"',
        "server.max-keep-alive-requests = 100000",
        "server.max-keep-alive-idle = 600",
        'mimetype.assign = (".html" => "text/html")',
        'url.rewrite-once = ("" => "/page.html")',
    ]
    for port in (443, 8443):
        lines.append(f'$SERVER["socket"] == "{address}:{port}" {{\n{tls}\n}}')
    for site in sites:
        leaf = work / "tls" / file_name(site.certificate)
        lines.append(f'$HTTP["host"] =~ "^{site.host.replace(".", "[.]")}(:[0-9]+)?$" {{')
        if any(origin.startswith("https") for origin in site.origins):
            lines += [f'ssl.pemfile = "{leaf}.pem"', f'ssl.privkey = "{leaf}.key"']
        lines += [*_lighttpd_guard(folder, site), "}"]
    return "\n".join(lines) + "\n"


def _lighttpd_guard(folder: Path, site: landscape.Site) -> list[str]:
    if site.guard == "open":
        return []
    require = {"method": "basic", "realm": site.realm, "require": "valid-user"}
    backend, file = "htpasswd", folder / "htpasswd"
    if site.guard in LIGHTTPD_ALGORITHMS:
        require |= {"method": "digest", "algorithm": LIGHTTPD_ALGORITHMS[site.guard]}
        backend, file = "htdigest", folder / "htdigest"
    pairs = ", ".join(f'"{key}" => "{value}"' for key, value in require.items())
    return [
        f'auth.backend = "{backend}"',
        f'auth.backend.{backend}.userfile = "{file}"',
        f'auth.require = ("" => ({pairs}))',
    ]


def start_nginx(fleet: Fleet, work: Path) -> None:
    """One process on many addresses: its own, and one for every hour of the pinned hosts."""
    folder = work / "nginx"
    folder.mkdir()
    (folder / "page.html").write_text("<p>nginx</p>\n")
    write_htpasswd(folder / "htpasswd")
    servers = []
    for site in landscape.on_machine("nginx"):
        for origin in site.origins:
            scheme, host, port = policy.split_origin(origin)
            leaf = file_name(site.certificate) if scheme == "https" else None
            realm = site.realm if site.guard == "basic" else None
            servers.append(_nginx_server(work, landscape.ADDRESSES["nginx"], port, host, leaf, realm))
    for machine, address in landscape.ADDRESSES.items():
        if machine.startswith("pin-"):
            for host in landscape.PINNED:
                servers.append(_nginx_server(work, address, 443, host, f"{machine}.{host}", None))
    temporary = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process on; worker_processes 1; user www-data; pid {folder}/pid;\n"
        f"error_log {folder}/error.log; events {{ worker_connections 512; }}\n"
        f"http {{ access_log off; types {{ text/html html; }} keepalive_timeout 600s; keepalive_requests 100000;\n"
        f"server_names_hash_bucket_size 128; ssl_session_tickets off; {temporary}\n" + "\n".join(servers) + "\n}\n"
    )
    fleet.start("nginx", ["/usr/sbin/nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")])
    fleet.wait_for_port("nginx", landscape.ADDRESSES["nginx"], 443)


def _nginx_server(work: Path, address: str, port: int, host: str, leaf: str | None, realm: str | None) -> str:
    tls = f"ssl_certificate {work}/tls/{leaf}.pem; ssl_certificate_key {work}/tls/{leaf}.key;" if leaf else ""
    auth = f'auth_basic "{realm}"; auth_basic_user_file {work}/nginx/htpasswd;' if realm else ""
    return (
        f"server {{ listen {address}:{port}{' ssl' if leaf else ''}; server_name {host}; {tls} {auth} "
        f"root {work}/nginx; location / {{ try_files /page.html =404; }} }}"
    )
