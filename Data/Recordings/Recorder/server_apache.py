"""Apache httpd with mod_auth_gssapi (NTLM through gss-ntlmssp), mod_auth_digest, mod_auth_basic and mod_ssl."""

from pathlib import Path

import landscape
import passwords
import policy
from certificates import file_name
from processes import Fleet
from server_files import write_changing, write_htpasswd

MODULES = Path("/usr/lib/apache2/modules")
LOADED = (
    "mpm_event authn_core authn_file authz_core authz_user auth_basic auth_digest auth_gssapi "
    "ssl alias env dir headers rewrite setenvif http2"
).split()

# How each machine introduces itself inside NTLM. With NETBIOS_DOMAIN_NAME, gss-ntlmssp sets TARGET_TYPE_DOMAIN.
MACHINES = {
    "apache-domain": {"NETBIOS_COMPUTER_NAME": "WEB01", "NETBIOS_DOMAIN_NAME": "ACME"},
    "apache-workgroup": {"NETBIOS_COMPUTER_NAME": "FILES01"},
    "apache-forest": {"NETBIOS_COMPUTER_NAME": "FOREST01", "NETBIOS_DOMAIN_NAME": "ACME"},
}
HOST_NAMES = {
    "apache-domain": "web01.acme.example",
    "apache-workgroup": "files01",
    "apache-forest": "forest01.acme.example",
}


def start(fleet: Fleet, work: Path, machine: str) -> None:
    """Writes the machine's configuration and user files, starts it, and waits until it listens."""
    folder = work / machine
    folder.mkdir()
    (folder / "page.html").write_text(f"<p>{machine}</p>\n")
    (folder / "users").write_text("".join(f"{line}\n" for line in _ntlm_users(machine)))
    write_htpasswd(folder / "htpasswd")
    write_changing(folder / "changing", policy.CLERK.password)
    realms = [site.realm for site in landscape.on_machine(machine) if site.guard in ("digest-md5", "digest-ntlm")]
    lines = [line for realm in realms for line in passwords.htdigest_lines(realm, "MD5")]
    (folder / "htdigest").write_text("".join(f"{line}\n" for line in lines))
    (folder / "httpd.conf").write_text(_configuration(work, machine))
    fleet.start(
        machine,
        ["/usr/sbin/apache2", "-D", "FOREGROUND", "-d", str(folder), "-f", str(folder / "httpd.conf")],
        hostname=HOST_NAMES[machine],
        environment={"NTLM_USER_FILE": str(folder / "users"), **MACHINES[machine]},
    )
    fleet.wait_for_port(machine, landscape.ADDRESSES[machine], 443)


def _ntlm_users(machine: str) -> list[str]:
    """Lines `DOMAIN:user:password`. The first match wins, which is what makes the forest insist on a domain."""
    others = [f"{policy.OTHER_DOMAIN}:{policy.BARE.user}:{policy.OTHER_PASSWORD}"] if machine == "apache-forest" else []
    return others + [
        f"ACME:{policy.JDOE.user}:{policy.JDOE.password}",
        f"ACME:{policy.JUERGEN.user}:{policy.JUERGEN.password}",
        f"ACME:{policy.STALE.user}:{policy.REPLACED_PASSWORD}",
        f":{policy.LAB.user}:{policy.LAB.password}",
    ]


def _configuration(work: Path, machine: str) -> str:
    folder, address = work / machine, landscape.ADDRESSES[machine]
    sites = landscape.on_machine(machine)
    ports = sorted({policy.split_origin(origin)[2] for site in sites for origin in site.origins})
    lines = [f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED]
    lines += [f"Listen {address}:{port}" for port in ports]
    lines += [
        f"ServerRoot {folder}",
        f"PidFile {folder}/pid",
        f"DefaultRuntimeDir {folder}",
        f"ServerName {HOST_NAMES[machine]}",
        "User www-data",
        "Group www-data",
        f"ErrorLog {folder}/error.log",
        "LogLevel warn",
        "KeepAlive On",
        "KeepAliveTimeout 600",
        "MaxKeepAliveRequests 0",
        "StartServers 1",
        "ThreadsPerChild 64",
        "MinSpareThreads 16",
        "MaxRequestWorkers 128",
        "SSLSessionTickets off",
        # Every path of every host is the same page: only the challenges are of interest.
        f'AliasMatch "^/.*$" "{folder}/page.html"',
        f"<Directory {folder}>\nRequire all denied\n<Files page.html>\nRequire all granted\n</Files>\n</Directory>",
    ]
    for site in sites:
        for origin in site.origins:
            lines += _virtual_host(work, site, *policy.split_origin(origin))
    return "\n".join(lines) + "\n"


def _virtual_host(work: Path, site: landscape.Site, scheme: str, host: str, port: int) -> list[str]:
    lines = [f"<VirtualHost {landscape.ADDRESSES[site.machine]}:{port}>", f"ServerName {host}"]
    if scheme == "https":
        certificate = work / "tls" / file_name(site.certificate)
        lines += ["SSLEngine on", f"SSLCertificateFile {certificate}.pem", f"SSLCertificateKeyFile {certificate}.key"]
        lines += _client_certificates(work / "tls", site)
    lines += ["<Location />", *_guard(work / site.machine, site)]
    if site.redirect:
        # mod_rewrite inside <Location> redirects after the log-in; mod_alias would redirect before it.
        lines += ["RewriteEngine On", f'RewriteRule "^" "{site.redirect}" [R=302,L,NE]']
    return lines + ["</Location>", *site.more, "</VirtualHost>"]


def _client_certificates(tls: Path, site: landscape.Site) -> list[str]:
    if not site.guard.startswith("certificate"):
        return []
    if site.guard == "certificate":
        # Two hosts name every authority in their request, one names the issuing one only.
        names = "issuing-only" if site.host == "mobile.acme.example" else "authorities"
        return [
            "SSLVerifyClient require",
            "SSLVerifyDepth 3",
            f"SSLCACertificateFile {tls}/authorities.pem",
            f"SSLCADNRequestFile {tls}/{names}.pem",
        ] + (["SSLProtocol TLSv1.2"] if site.host == "admin.acme.example" else [])
    authorities = "partner" if site.guard == "certificate-foreign" else "authorities"
    return ["SSLVerifyClient optional", f"SSLCACertificateFile {tls}/{authorities}.pem"]


def _guard(folder: Path, site: landscape.Site) -> list[str]:
    """The directives of one site's <Location />."""
    realm = 'AuthName "' + site.realm.replace('"', '\\"') + '"'
    ntlm = ["AuthType GSSAPI", realm, "GssapiAllowedMech ntlmssp", "GssapiConnectionBound On", "GssapiLocalName Off"]
    match site.guard:
        case "ntlm":
            lines = ntlm
        case "ntlm-only":
            # mod_auth_gssapi offers Negotiate and NTLM or, told by this variable, nothing; then NTLM alone is added.
            bare = "expr=%{REQUEST_STATUS} == 401 && -z resp('WWW-Authenticate')"
            quiet = "SetEnvIf Request_URI ^ gssapi-no-negotiate"
            lines = [*ntlm, quiet, f'Header always set WWW-Authenticate NTLM "{bare}"']
        case "three":
            lines = [*ntlm, "GssapiAllowedMech krb5", "GssapiBasicAuth On", "GssapiBasicAuthMech ntlmssp"]
        case "digest-md5" | "digest-ntlm":
            lines = ["AuthType Digest", realm, "AuthDigestProvider file", f"AuthUserFile {folder}/htdigest"]
            if site.host == "tickets.acme.example":
                lines.append("AuthDigestDomain / https://tickets.acme.example/api")
        case "basic" | "basic-ntlm" | "basic-changing":
            users = f"{folder}/{'changing' if site.guard == 'basic-changing' else 'htpasswd'}"
            lines = ["AuthType Basic", realm, "AuthBasicProvider file", f"AuthUserFile {users}"]
        case _:
            return ["Require all granted"]
    if site.guard in ("basic-ntlm", "digest-ntlm"):
        # The offer of NTLM is written by hand: these servers could not take its answer.
        lines.append('Header always add WWW-Authenticate NTLM "expr=%{REQUEST_STATUS} == 401"')
    return [*lines, "Require valid-user"]
