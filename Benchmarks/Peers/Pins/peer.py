"""Python's cryptography as a peer: certificate bytes to pin, in nanoseconds of processor time."""
import hashlib
import struct
import sys
import time

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

data, certificates, offset = open(sys.argv[1], "rb").read(), [], 0
while offset < len(data):
    (length,) = struct.unpack_from("<I", data, offset)
    certificates.append(data[offset + 4 : offset + 4 + length])
    offset += 4 + length
best, sum_ = float("inf"), 0
for _ in range(20):
    start = time.process_time_ns()
    for der in certificates:
        key = x509.load_der_x509_certificate(der).public_key()
        spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        sum_ += hashlib.sha256(spki).digest()[0]
    best = min(best, (time.process_time_ns() - start) / len(certificates))
print(f"Python cryptography\t{best:.0f}\t{sum_}")
