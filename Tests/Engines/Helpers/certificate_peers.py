"""What OpenSSL (libcrypto, by its C interface) and Python's cryptography make of certificates.

Standard input: certificates, each behind its length in four bytes, least significant first.
Standard output: one JSON object a line: what each of the two says, or null where it refuses. With an argument, the path of
the openssl command, also what that prints of each certificate, one process each.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import re
import struct
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

warnings.simplefilter("ignore")
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for name in ("d2i_X509", "X509_get_X509_PUBKEY"):
    getattr(crypto, name).restype = ctypes.c_void_p


def openssl(der):
    pointer = ctypes.c_char_p(der)
    certificate = crypto.d2i_X509(None, ctypes.byref(pointer), ctypes.c_long(len(der)))
    if not certificate:
        return None
    certificate = ctypes.c_void_p(certificate)
    key = ctypes.c_void_p()
    length = crypto.i2d_X509_PUBKEY(ctypes.c_void_p(crypto.X509_get_X509_PUBKEY(certificate)), ctypes.byref(key))
    spki = ctypes.string_at(key, length)
    crypto.CRYPTO_free(key, b"", 0)
    crypto.X509_free(certificate)
    return base64.b64encode(hashlib.sha256(spki).digest()).decode()


def kind(certificate):
    try:
        key = certificate.public_key()
    except Exception:
        return None, None
    for types, name in ((rsa.RSAPublicKey, "RSA"), (ec.EllipticCurvePublicKey, "EC"), (dsa.DSAPublicKey, "DSA")):
        if isinstance(key, types):
            return name, key.key_size
    return ("Ed25519", 256) if isinstance(key, ed25519.Ed25519PublicKey) else ("Ed448", 456)


def details(der):
    """Every field that ours has; parsing is lazy there, so each is asked for."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        key_type, key_bits = kind(certificate)
        subject, issuer = certificate.subject.rfc4514_string(), certificate.issuer.rfc4514_string()
        before, after = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    except Exception:
        return None
    try:
        is_ca = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except Exception:
        is_ca = False
    return {
        "subject": subject, "issuer": issuer, "not_before": int(before.timestamp()),
        "not_after": int(after.timestamp()), "is_ca": is_ca, "key_type": key_type, "key_bits": key_bits,
    }


# Attribute types as numbers, the last part of a name first, escapes as RFC 2253 2.4 has them; readable text, in UTF-8, also
# of types that openssl has no name for.
NAMES = "esc_2253,esc_ctrl,utf8,dump_nostr,dump_der,sep_comma_plus,dn_rev,oid"
# Of the text of a certificate, the key alone; all else has an option of its own.
KEY_ONLY = (
    "no_header,no_version,no_serial,no_signame,no_validity,no_subject,no_issuer,no_extensions,no_sigdump,no_aux"
)
OPTIONS = (
    "-noout -subject -issuer -serial -dates -dateopt iso_8601 -pubkey -ext basicConstraints -text".split()
    + ["-nameopt", NAMES, "-certopt", KEY_ONLY]
)
KINDS = {"rsaEncryption": "RSA", "rsassaPss": "RSA", "id-ecPublicKey": "EC", "dsaEncryption": "DSA",
         "ED25519": "Ed25519", "ED448": "Ed448"}


def seconds(text):
    return int(datetime.strptime(text.strip() + "+0000", "%Y-%m-%d %H:%M:%SZ%z").timestamp())


def twos_complement(digits):
    """The contents of the INTEGER that openssl prints as hexadecimal digits, with a minus sign if it is negative."""
    number = int(digits, 16)
    length = (~number if number < 0 else number).bit_length() // 8 + 1
    return number.to_bytes(length, "big", signed=True).hex()


def command(program, der):
    """Every field that the openssl command prints; of Ed25519 and Ed448 it tells no bits."""
    run = subprocess.run([program, "x509", "-inform", "der"] + OPTIONS, input=der, capture_output=True)
    if run.returncode:
        return None
    text = run.stdout.decode()

    def field(pattern):
        found = re.search(pattern, text, re.MULTILINE)
        return found and found[1]

    key = field(r"(?s)-----BEGIN PUBLIC KEY-----(.*?)-----END PUBLIC KEY-----")
    bits = field(r"^ *Public-Key: \((\d+) bit\)$")
    kind = field(r"^ *Public Key Algorithm: (.*)$")
    return {
        "pin": base64.b64encode(hashlib.sha256(base64.b64decode(key)).digest()).decode(),
        "subject": field(r"^subject=(.*)$"), "issuer": field(r"^issuer=(.*)$"),
        "serial": twos_complement(field(r"^serial=(.*)$")),
        "not_before": seconds(field(r"^notBefore=(.*)$")), "not_after": seconds(field(r"^notAfter=(.*)$")),
        "is_ca": bool(field(r"^X509v3 Basic Constraints:.*\n *(CA:TRUE)")),
        "key_type": KINDS.get(kind, kind), "key_bits": bits and int(bits),
    }


data = sys.stdin.buffer.read()
certificates = []
offset = 0
while offset < len(data):
    (length,) = struct.unpack_from("<I", data, offset)
    certificates.append(data[offset + 4 : offset + 4 + length])
    offset += 4 + length
printed = [None] * len(certificates)
if len(sys.argv) > 1:
    # The threads only wait for processes.
    printed = ThreadPoolExecutor(4).map(lambda der: command(sys.argv[1], der), certificates)
for der, text in zip(certificates, printed):
    print(json.dumps({"openssl": openssl(der), "cryptography": details(der), "command": text}))
