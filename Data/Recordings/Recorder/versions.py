"""Which software answered: versions as Debian's package manager and Python's metadata know them."""

from importlib.metadata import version

from processes import run

SERVER_PACKAGES = (
    "apache2-bin",
    "libapache2-mod-auth-gssapi",
    "gss-ntlmssp",
    "lighttpd",
    "lighttpd-mod-openssl",
    "nginx",
    "squid",
    "winbind",
    "libssl3",
)
CLIENT_MODULES = ("pyspnego", "pyOpenSSL", "cryptography")


def server_versions() -> dict[str, str]:
    """Package name → version; `apache2-bin` is listed under its usual name, apache2."""
    found = {}
    for package in SERVER_PACKAGES:
        name = "apache2" if package == "apache2-bin" else package
        found[name] = run(["dpkg-query", "-W", "-f", "${Version}", package])
    return found


def client_versions() -> dict[str, str]:
    return {module: version(module) for module in CLIENT_MODULES}
