"""The company's certificates, made afresh for every recording.

Acme Root CA ─┬─ Acme Issuing CA 1 ── most hosts, both client identities
              └─ Acme Issuing CA 2 ── hosts after the rotation of an issuer pin
Inspection Root ── Inspection CA ──── forged leaves; the client trusts this root as well
Nowhere Root ──────────────────────── forged leaves; no client trusts this root
"""

import datetime
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

import landscape

NOW = datetime.datetime.now(datetime.UTC).replace(microsecond=0)

# Hosts whose certificate is signed with another hash, because channel bindings follow the signature's hash.
SIGNATURE_HASHES = {"erp.acme.example": hashes.SHA384(), "wiki.acme.example": hashes.SHA512()}


def new_key(kind: str):
    """A private key: `ec` (P-256) or `rsa` (2048 bits)."""
    if kind == "ec":
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _name(common_name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Acme Example"),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )


@dataclass
class Authority:
    """A certificate that issues others; `issuer` is None for a root."""

    certificate: x509.Certificate
    key: object
    issuer: "Authority | None"

    @property
    def chain(self) -> list[x509.Certificate]:
        """This certificate and those above it, the root last."""
        return [self.certificate] + (self.issuer.chain if self.issuer else [])


@dataclass
class Issued:
    """A leaf with its key and everything that is presented with it, leaf first."""

    chain: list[x509.Certificate]
    key: object

    @property
    def certificate(self) -> x509.Certificate:
        return self.chain[0]

    def write(self, folder: Path, name: str) -> None:
        """Writes NAME.pem (the chain) and NAME.key into the folder."""
        (folder / f"{name}.pem").write_bytes(b"".join(pem(c) for c in self.chain))
        encoded = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        descriptor = os.open(folder / f"{name}.key", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(encoded)


def pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def sha256(certificate: x509.Certificate) -> str:
    """SHA-256 of the DER, the name under which a recording refers to a certificate."""
    return certificate.fingerprint(hashes.SHA256()).hex()


def spki(certificate: x509.Certificate) -> bytes:
    """DER of SubjectPublicKeyInfo, which is what a pin is the hash of."""
    return certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _builder(subject: x509.Name, key, issuer: Authority | None, days: int) -> x509.CertificateBuilder:
    signer = issuer.key if issuer else key
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )


def new_authority(common_name: str, kind: str, issuer: Authority | None = None) -> Authority:
    """A root, or an issuing authority below one."""
    key = new_key(kind)
    usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
    certificate = (
        _builder(_name(common_name), key, issuer, 3650 if issuer else 7300)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0 if issuer else 1), critical=True)
        .add_extension(usage, critical=True)
        .sign(issuer.key if issuer else key, hashes.SHA256())
    )
    return Authority(certificate, key, issuer)


def issue(
    authority: Authority, subject: str, *, hosts=(), kind="ec", key=None, hash=None, client=False, padding=()
) -> Issued:
    """A leaf. `key` reuses a key, `padding` is thrown in behind the chain although it does not belong there."""
    key = key or new_key(kind)
    purpose = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
    builder = (
        _builder(_name(subject), key, authority, 397)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    )
    if hosts:
        names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
        builder = builder.add_extension(names, critical=False)
    certificate = builder.sign(authority.key, hash or hashes.SHA256())
    return Issued([certificate, *authority.chain, *padding], key)


class Certificates:
    """All authorities, leaves and identities of one recording."""

    def __init__(self) -> None:
        self.root = new_authority("Acme Root CA", "ec")
        self.issuing = new_authority("Acme Issuing CA 1", "rsa", self.root)
        self.issuing_next = new_authority("Acme Issuing CA 2", "ec", self.root)
        self.inspection_root = new_authority("Inspection Root", "rsa")
        self.inspection = new_authority("Inspection CA", "ec", self.inspection_root)
        self.nowhere = new_authority("Nowhere Root", "ec")
        self.partner = new_authority("Partner Device CA", "ec")
        self.leaves = self._leaves()
        self.pinned = {host: self._pinned(host, number) for number, host in enumerate(landscape.PINNED)}
        self.identities = {
            "laptop": issue(self.issuing, "laptop-0417", kind="ec", client=True),
            "tablet": issue(self.issuing, "tablet-0031", kind="rsa", client=True),
        }

    @property
    def trusted(self) -> list[x509.Certificate]:
        """The client's trust store: the company's root, and the inspection root next to it."""
        return [self.root.certificate, self.inspection_root.certificate]

    def _leaves(self) -> dict[str, Issued]:
        names = dict.fromkeys(site.certificate for site in landscape.SITES)
        return {
            name: issue(
                self.issuing,
                name,
                hosts=[name],
                kind="ec" if number % 3 else "rsa",
                hash=SIGNATURE_HASHES.get(name),
            )
            for number, name in enumerate(names)
        }

    def _pinned(self, host: str, number: int) -> dict[str, Issued]:
        """One pinned host's certificate on every machine that answers for it."""
        kind = "rsa" if number % 2 else "ec"
        by_issuer = host in landscape.ISSUER_PINNED
        first = issue(self.issuing, host, hosts=[host], kind=kind)
        genuine = (first.certificate, self.issuing.certificate)
        return {
            "pin-leaf": first,
            "pin-reissued": issue(self.issuing, host, hosts=[host], key=first.key),
            "pin-backup": issue(self.issuing_next if by_issuer else self.issuing, host, hosts=[host], kind="ec"),
            "pin-inspected": issue(self.inspection, host, hosts=[host], kind=kind),
            "pin-inspected-padded": issue(self.inspection, host, hosts=[host], kind=kind, padding=genuine),
            "pin-untrusted": issue(self.nowhere, host, hosts=[host], kind=kind),
            "pin-other-host": issue(self.issuing, "press.acme.example", hosts=["press.acme.example"], kind=kind),
        }

    def write(self, folder: Path) -> None:
        """Writes what the servers read: leaves with keys, and the authorities that they check clients against."""
        folder.mkdir(parents=True)
        for name, issued in self.leaves.items():
            issued.write(folder, file_name(name))
        for host, by_machine in self.pinned.items():
            for machine, issued in by_machine.items():
                issued.write(folder, f"{machine}.{host}")
        (folder / "authorities.pem").write_bytes(pem(self.root.certificate) + pem(self.issuing.certificate))
        (folder / "issuing-only.pem").write_bytes(pem(self.issuing.certificate))
        (folder / "partner.pem").write_bytes(pem(self.partner.certificate))


def file_name(certificate: str) -> str:
    """The file name of a leaf; wildcards are spelt out."""
    return certificate.replace("*", "any")
