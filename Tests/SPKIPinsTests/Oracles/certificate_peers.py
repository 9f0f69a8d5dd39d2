"""What OpenSSL (libcrypto, by its C interface) and Python's cryptography make of certificates.

Standard input: certificates, each behind its length in four bytes, least significant first.
Standard output: one JSON object a line: what each of the two says, or null where it refuses.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import struct
import sys
import warnings

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


data = sys.stdin.buffer.read()
offset = 0
while offset < len(data):
    (length,) = struct.unpack_from("<I", data, offset)
    der = data[offset + 4 : offset + 4 + length]
    offset += 4 + length
    print(json.dumps({"openssl": openssl(der), "cryptography": details(der)}))
