"""Squid as three parent proxies: NTLM, checked by Samba's ntlm_auth and winbindd, Basic, and Digest."""

import hashlib
import os
import shutil
from pathlib import Path

import landscape
import policy
from processes import Fleet, run
from server_files import write_htpasswd

WINBIND_SOCKETS = Path("/run/samba/winbindd")
SAMBA_FOLDERS = ("private", "lock", "state", "cache", "pid", "ncalrpc")


def start_samba(fleet: Fleet, work: Path) -> Path:
    """A stand-alone winbindd that knows the NTLM proxy's user. Returns its smb.conf."""
    folder = work / "samba"
    for name in SAMBA_FOLDERS:
        (folder / name).mkdir(parents=True)
    WINBIND_SOCKETS.mkdir()
    configuration = folder / "smb.conf"
    configuration.write_text(
        "[global]\n"
        " workgroup = ACME\n"
        # A stand-alone machine's own name is its domain: with this one, accounts of ACME are its own.
        " netbios name = ACME\n"
        " security = user\n"
        " server role = standalone server\n"
        f" passdb backend = tdbsam:{folder}/private/passdb.tdb\n"
        f" private dir = {folder}/private\n"
        f" lock directory = {folder}/lock\n"
        f" state directory = {folder}/state\n"
        f" cache directory = {folder}/cache\n"
        f" pid directory = {folder}/pid\n"
        f" ncalrpc dir = {folder}/ncalrpc\n"
        f" winbindd socket directory = {WINBIND_SOCKETS}\n"
        " interfaces = lo\n"
        " bind interfaces only = yes\n"
        " ntlm auth = ntlmv2-only\n"
        f" log file = {folder}/log\n"
    )
    password = policy.JDOE.password
    run(["smbpasswd", "-c", str(configuration), "-s", "-a", policy.JDOE.user], input=f"{password}\n{password}\n")
    fleet.start("winbindd", ["winbindd", "-F", "--no-process-group", f"--configfile={configuration}"])
    fleet.wait_for_path(WINBIND_SOCKETS / "pipe")
    fleet.wait_for_path(folder / "state" / "winbindd_privileged")
    # Squid's helpers run as `proxy`, and NTLM goes through winbindd's privileged pipe.
    shutil.chown(folder / "state" / "winbindd_privileged", group="proxy")
    return configuration


def start_squids(fleet: Fleet, work: Path, smb_configuration: Path) -> None:
    """Starts the proxies; they look the recorded hosts up in a hosts file of their own."""
    hosts = work / "hosts"
    hosts.write_text("".join(f"{landscape.ADDRESSES[site.machine]} {site.host}\n" for site in landscape.SITES))
    write_htpasswd(work / "proxy-users")
    ntlm = f"/usr/bin/ntlm_auth --configfile={smb_configuration} --helper-protocol=squid-2.5-ntlmssp"
    _start_squid(
        fleet,
        work,
        "squid-ntlm",
        [
            f"auth_param ntlm program {ntlm}",
            "auth_param ntlm children 8 startup=4",
            "auth_param ntlm keep_alive on",
        ],
    )
    _start_squid(
        fleet,
        work,
        "squid-basic",
        [
            f"auth_param basic program /usr/lib/squid/basic_ncsa_auth {work}/proxy-users",
            "auth_param basic realm Gate",
            "auth_param basic children 4 startup=2",
        ],
    )


    (work / "proxy-digests").write_text(f"{policy.DOCK.user}:Dock:{_ha1(policy.DOCK, 'Dock')}\n")
    _start_squid(
        fleet,
        work,
        "squid-digest",
        [
            f"auth_param digest program /usr/lib/squid/digest_file_auth -c {work}/proxy-digests",
            "auth_param digest realm Dock",
            "auth_param digest children 4 startup=2",
            "auth_param digest nonce_max_count 500",
        ],
    )


def _ha1(account: policy.Account, realm: str) -> str:
    return hashlib.md5(f"{account.user}:{realm}:{account.password}".encode()).hexdigest()


def _start_squid(fleet: Fleet, work: Path, machine: str, authentication: list[str]) -> None:
    folder = work / machine
    folder.mkdir()
    shutil.chown(folder, user="proxy")
    name = next(proxy for proxy, other in landscape.PROXY_MACHINES.items() if other == machine)
    name = policy.split_origin(name)[1]
    # Squids with one service name share memory. A name has letters and digits only.
    service = "".join(each for each in machine if each.isalnum())
    configuration = folder / "squid.conf"
    configuration.write_text(
        "\n".join(
            [
                f"http_port {landscape.ADDRESSES[machine]}:3128",
                f"visible_hostname {name}",
                f"hosts_file {work}/hosts",
                *authentication,
                "acl known proxy_auth REQUIRED",
                # A deny rule that rests on the user: Squid asks again, with 407, whoever is not chair.
                "acl secret dstdomain secret.partner.example",
                "acl chair proxy_auth chair",
                "http_access deny secret !chair",
                "http_access allow known",
                "http_access deny all",
                "cache deny all",
                "client_idle_pconn_timeout 10 minutes",
                "pid_filename none",
                f"access_log stdio:{folder}/access.log",
                f"cache_log {folder}/cache.log",
                f"coredump_dir {folder}",
                "netdb_filename none",
                "shutdown_lifetime 1 second",
            ]
        )
        + "\n"
    )
    os.chmod(configuration, 0o644)
    fleet.start(machine, ["/usr/sbin/squid", "-N", "-n", service, "-f", str(configuration)], hostname=name, winbind=True)
    fleet.wait_for_port(machine, landscape.ADDRESSES[machine], 3128)
