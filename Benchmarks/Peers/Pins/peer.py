"""Python's cryptography as a peer: certificate bytes to pin, in nanoseconds of processor time; lines of a measurement file."""
import hashlib
import struct
import sys
import time

import cryptography
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

data, certificates, offset = open(sys.argv[1], "rb").read(), [], 0
while offset < len(data):
    (length,) = struct.unpack_from("<I", data, offset)
    certificates.append(data[offset + 4 : offset + 4 + length])
    offset += 4 + length
print(f"about\tPython cryptography\t{cryptography.__version__}, Python {sys.version.split()[0]}")
for _ in range(20):
    start = time.process_time_ns()
    sum_ = 0
    for der in certificates:
        key = x509.load_der_x509_certificate(der).public_key()
        spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        sum_ += hashlib.sha256(spki).digest()[0]
    took = (time.process_time_ns() - start) / len(certificates)
    assert sum_ > 0
    print(f"time\tPython cryptography\tcertificate to pin\t{took:.1f}")
