"""profile.yaml, the secrets and the identities: what the replay is configured with."""

import base64
import hashlib
from pathlib import Path

import landscape
import policy
from certificates import Certificates, pem, spki
from conversation import IDENTITY_SITES

SCHEMES = ("ntlm", "digest", "basic")


def write(folder: Path, made: Certificates) -> None:
    (folder / "secrets").mkdir(exist_ok=True)
    for account in policy.ACCOUNTS:
        (folder / "secrets" / account.name).write_text(account.password + "\n")
    # The one that the user types after noon.
    (folder / "secrets" / "clerk-later").write_text(policy.CLERK_LATER + "\n")
    (folder / "identities").mkdir(exist_ok=True)
    for name, issued in made.identities.items():
        # Leaf and issuing authority; the root is the server's own, and no private key leaves the recorder.
        (folder / "identities" / f"{name}.pem").write_bytes(b"".join(pem(c) for c in issued.chain[:-1]))
    (folder / "profile.yaml").write_text(_profile(made))


def pin(certificate) -> str:
    """SHA-256 of SubjectPublicKeyInfo, base64 (RFC 7469 section 2.4)."""
    return base64.b64encode(hashlib.sha256(spki(certificate)).digest()).decode()


def _profile(made: Certificates) -> str:
    lines = [
        "# The security profile of the recorded client. The recorder writes it, since keys are made each time.",
        "# Passwords are throw-away ones, known to the recorded servers only.",
        "version: 1",
        "",
        "# [!][scheme://]host[:port][/path]; https and the scheme's own port when absent.",
        "sites:",
        *[f'  - "{rule}"' for rule in policy.SITES],
        "",
        "# In order of preference.",
        f"schemes: [{', '.join(SCHEMES)}]",
        "",
        "# Between accounts, the most specific rule decides.",
        "accounts:",
    ]
    for account in policy.ACCOUNTS:
        lines += [f"  - name: {account.name}", f"    user: {account.user}"]
        lines += [f"    domain: {account.domain}"] if account.domain else []
        lines += ["    cleartext: true"] if account.cleartext else []
        lines += [f"    password: {{ file: secrets/{account.name} }}", "    sites:"]
        lines += [f'      - "{rule}"' for rule in account.sites]
    lines += ["", "# Leaf and issuing authority; the private keys stayed with the recorder.", "identities:"]
    for name, rules in IDENTITY_SITES.items():
        lines += [f"  - name: {name}", f"    certificate: {{ file: identities/{name}.pem }}", "    sites:"]
        lines += [f'      - "{rule}"' for rule in rules]
    lines += ["", "# Pins are compared with the validated chain.", "pins:"]
    for host in landscape.LEAF_PINNED:
        now, later = made.pinned[host]["pin-leaf"].certificate, made.pinned[host]["pin-backup"].certificate
        lines += _pin_entry(host, pin(now), pin(later), "leaf")
    lines += _pin_entry(
        "**.pay.acme.example", pin(made.issuing.certificate), pin(made.issuing_next.certificate), "issuer"
    )
    return "\n".join(lines) + "\n"


def _pin_entry(host: str, now: str, backup: str, position: str) -> list[str]:
    return [
        f'  - host: "{host}"',
        "    enforce: true",
        f'    pins:    [{{ sha256: "{now}", position: {position} }}]',
        f'    backups: [{{ sha256: "{backup}", position: {position} }}]',
        "    expires: 2036-01-01T00:00:00Z",
    ]
