#!/usr/bin/env python3
"""Makes cases.tsv: chains of algorithms that certificate libraries know or do not know, each checked by openssl.

    python3 make_cases.py > cases.tsv      needs `cryptography` (48 or later, for ML-DSA) and `openssl`

Fields: name, what is expected (`validated`, `refused`, or the algorithm because of which a chain is not judged), what
`openssl verify` (of ML-DSA: `cryptography`) says of the chain, and the certificates in base64: the leaf, the others, the roots. The keys are thrown away.
"""

import base64
import datetime
import pathlib
import subprocess
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, ed448, mldsa, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

FROM, UNTIL = datetime.datetime(2026, 1, 1), datetime.datetime(2036, 1, 1)
PSS = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
HASHLESS = (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)


def rsa_key(bits):
    return lambda: rsa.generate_private_key(65537, bits)


def curve(kind):
    return lambda: ec.generate_private_key(kind())


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, authority, pss=False, digest=hashes.SHA256):
    builder = x509.CertificateBuilder(name(issuer), name(subject), key.public_key(), x509.random_serial_number(), FROM, UNTIL)
    builder = builder.add_extension(x509.BasicConstraints(authority, None), critical=True)
    if not authority:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("a.example")]), critical=False)
    plain = isinstance(issuer_key, HASHLESS)
    return builder.sign(issuer_key, None if plain else digest(), rsa_padding=PSS if pss else None)


def element(tag, contents):
    length = len(contents)
    header = bytes([length]) if length < 0x80 else b"\x82" + length.to_bytes(2, "big")
    return bytes([tag]) + header + contents


def elements(der):
    """The elements inside an element, each with its header."""
    found, rest = [], der[2 if der[1] < 0x80 else 2 + (der[1] & 0x7F):]
    while rest:
        count = 0 if rest[1] < 0x80 else rest[1] & 0x7F
        length = rest[1] if count == 0 else int.from_bytes(rest[2:2 + count], "big")
        found.append(rest[:2 + count + length])
        rest = rest[2 + count + length:]
    return found


def with_mldsa(model, key, issuer_key, number):
    """The certificate `model` with another key and signature (RFC 9881), which x509 of `cryptography` does not write."""
    algorithm = element(0x30, element(0x06, bytes([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, number])))
    parts = elements(model.tbs_certificate_bytes)
    parts[2] = algorithm
    parts[6] = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    signed = element(0x30, b"".join(parts))
    whole = element(0x30, signed + algorithm + element(0x03, b"\0" + issuer_key.sign(signed)))
    return x509.load_der_x509_certificate(whole)


def said(leaf, others, roots):
    """What openssl says: OK or no."""
    with tempfile.TemporaryDirectory() as folder:
        for part, certificates in (("leaf", [leaf]), ("others", others), ("roots", roots)):
            pem = b"".join(one.public_bytes(Encoding.PEM) for one in certificates)
            (pathlib.Path(folder) / part).write_bytes(pem)
        command = ["openssl", "verify", "-no-CApath", "-no-CAstore", "-auth_level", "0", "-attime", "1780272000"]
        command += ["-CAfile", "roots", "-verify_hostname", "a.example"]
        command += ["-untrusted", "others"] * bool(others) + ["leaf"]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        return "OK" if run.returncode == 0 else "no"


def case(title, expected, root_key, leaf_key, middle_key=None, **how):
    root, leaf = root_key(), leaf_key()
    top = certificate("Root", root, "Root", root, True, **how)
    others = []
    issuer, signer = "Root", root
    if middle_key:
        middle = middle_key()
        others = [certificate("Middle", middle, "Root", root, True, **how)]
        issuer, signer = "Middle", middle
    line(title, expected, certificate("a.example", leaf, issuer, signer, False, **how), others, [top])


def line(title, expected, leaf, others, roots, verdict=None):
    parts = [[leaf], others, roots]
    text = [",".join(base64.b64encode(one.public_bytes(Encoding.DER)).decode() for one in part) for part in parts]
    print("\t".join([title, expected, verdict or said(leaf, others, roots), *text]))


p256, secp256k1, brainpool = curve(ec.SECP256R1), curve(ec.SECP256K1), curve(ec.BrainpoolP256R1)
for title, key in [
    ("P-256", p256), ("P-384", curve(ec.SECP384R1)), ("P-521", curve(ec.SECP521R1)), ("RSA 2048", rsa_key(2048)),
    ("RSA 4096", rsa_key(4096)), ("Ed25519", ed25519.Ed25519PrivateKey.generate),
]:
    case(title, "validated", key, key)
pss = "RSASSA-PSS (1.2.840.113549.1.1.10)"
case("PSS", pss, rsa_key(2048), rsa_key(2048), pss=True)
case("PSS with P-256 below", pss, rsa_key(2048), p256, pss=True)
case("PSS with an authority between", pss, rsa_key(2048), rsa_key(2048), rsa_key(2048), pss=True)
case("SHA-224 with RSA", "SHA-224 with RSA (1.2.840.113549.1.1.14)", rsa_key(2048), rsa_key(2048), digest=hashes.SHA224)
case("ECDSA with SHA-224", "ECDSA with SHA-224 (1.2.840.10045.4.3.1)", p256, p256, digest=hashes.SHA224)
case("Ed448", "Ed448 (1.3.101.113)", ed448.Ed448PrivateKey.generate, ed448.Ed448PrivateKey.generate)
case("Ed448 below P-256", "Ed448 (1.3.101.113)", p256, ed448.Ed448PrivateKey.generate)
for title, kind, identifier in [
    ("brainpoolP256r1", ec.BrainpoolP256R1, "1.3.36.3.3.2.8.1.1.7"), ("brainpoolP384r1", ec.BrainpoolP384R1, "1.3.36.3.3.2.8.1.1.11"),
    ("brainpoolP512r1", ec.BrainpoolP512R1, "1.3.36.3.3.2.8.1.1.13"), ("secp256k1", ec.SECP256K1, "1.3.132.0.10"),
    ("P-224", ec.SECP224R1, "1.3.132.0.33"),
]:
    case(title, f"ECDSA with {title} ({identifier})", curve(kind), curve(kind))
case("a root of secp256k1", "ECDSA with secp256k1 (1.3.132.0.10)", secp256k1, p256)
case("an authority of brainpool", "ECDSA with brainpoolP256r1 (1.3.36.3.3.2.8.1.1.7)", p256, p256, brainpool)
case("RSA 1024", "RSA with a key of 1024 bits", rsa_key(1024), rsa_key(1024))
case("RSA 1024 below P-256", "RSA with a key of 1024 bits", p256, rsa_key(1024))
case("a root of RSA 1024", "RSA with a key of 1024 bits", rsa_key(1024), p256)
p256_key = p256()
for bits, kind, number in [(44, mldsa.MLDSA44PrivateKey, 17), (65, mldsa.MLDSA65PrivateKey, 18), (87, mldsa.MLDSA87PrivateKey, 19)]:
    root, leaf = kind.generate(), kind.generate()
    top = with_mldsa(certificate("Root", p256_key, "Root", p256_key, True), root, root, number)
    bottom = with_mldsa(certificate("a.example", p256_key, "Root", p256_key, False), leaf, root, number)
    # OpenSSL knows ML-DSA from 3.5 on; `cryptography` raises an error if a signature is wrong.
    for one in (top, bottom):
        root.public_key().verify(one.signature, one.tbs_certificate_bytes)
    line(f"ML-DSA-{bits}", f"ML-DSA-{bits} (2.16.840.1.101.3.4.3.{number})", bottom, [], [top], "OK")
# A certificate that cannot be judged and is not on the path excuses nothing.
root, other, stranger = p256(), p256(), brainpool()
leaf = certificate("a.example", p256(), "Root", other, False)
good = certificate("Root", root, "Root", root, True)
beside = certificate("Stranger", stranger, "Stranger", stranger, True)
line("another root's signature, with a stranger of brainpool beside it", "refused", leaf, [beside], [good])
line("no root, with a stranger of brainpool as one", "refused", leaf, [], [beside])
