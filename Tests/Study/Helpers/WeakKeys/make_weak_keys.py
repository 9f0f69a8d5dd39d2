"""Makes weak-keys.tsv: keys that are weak on purpose, one or more of each kind, and sound ones beside them.

Plain integers and `cryptography` only: nothing of what the tests test takes part. Numbers come from a fixed seed.
"""
import random
from math import gcd
from cryptography.hazmat.primitives.asymmetric import ec, rsa, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

rng = random.Random(20171015)


SMALL = [p for p in range(2, 2000) if all(p % d for d in range(2, int(p**0.5) + 1))]


def is_prime(n):
    if any(n % p == 0 for p in SMALL):
        return n in SMALL
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for _ in range(6):
        x = pow(rng.randrange(2, n - 1), d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def next_prime(n):
    n |= 1
    while not is_prime(n):
        n += 2
    return n


def prime(bits):
    return next_prime(rng.getrandbits(bits) | 3 << bits - 2)


def length(n):
    if n < 128:
        return bytes([n])
    body = n.to_bytes((n.bit_length() + 7) // 8, "big")
    return bytes([128 | len(body)]) + body


def tlv(tag, body):
    return bytes([tag]) + length(len(body)) + body


def integer(n):
    return tlv(2, n.to_bytes(n.bit_length() // 8 + 1, "big"))


def rsa_key(n, e=65537):
    algorithm = tlv(0x30, bytes.fromhex("06092a864886f70d0101010500"))
    return tlv(0x30, algorithm + tlv(3, b"\0" + tlv(0x30, integer(n) + integer(e))))


CURVES = {"P-256": "2a8648ce3d030107", "P-384": "2b81040022", "P-521": "2b81040023", "P-224": "2b81040021",
          "secp256k1": "2b8104000a"}


def ec_key(curve, point):
    name = tlv(6, bytes.fromhex(CURVES[curve]))
    algorithm = tlv(0x30, bytes.fromhex("06072a8648ce3d0201") + name)
    return tlv(0x30, algorithm + tlv(3, b"\0" + point))


def roca_prime(bits, count):
    primes, n = [], 2
    while len(primes) < count:
        if all(n % p for p in primes):
            primes.append(n)
        n += 1
    product = 1
    for p in primes:
        product *= p
    while True:
        k = rng.getrandbits(max(bits - product.bit_length(), 1)) | 1 << max(bits - product.bit_length() - 1, 0)
        candidate = k * product + pow(65537, rng.getrandbits(64), product)
        if is_prime(candidate):
            return candidate


out = []


def key(name, expected, der):
    out.append(f"{name}\t{expected}\t{der.hex()}")


good = [prime(1024) for _ in range(6)]
key("sound-rsa2048", "", rsa_key(good[0] * good[1]))
key("sound-rsa3072", "", rsa_key(prime(1536) * prime(1536)))
key("short-512", "short:512", rsa_key(prime(256) * prime(256)))
key("short-1024", "short:1024", rsa_key(prime(512) * prime(512)))
p1020 = prime(1020)
n = p1020 * good[2]
key("odd-length", f"short:{n.bit_length()}" + f" odd:{n.bit_length()}" * (n.bit_length() % 8 > 0), rsa_key(n))
for f in (2, 3, 65521, 65537):
    n = f * next_prime(rng.getrandbits(2047 - f.bit_length() + 1) | 1 << 2048 - f.bit_length())
    expected = f"factor:{f}"
    if n.bit_length() < 2048:
        expected = f"short:{n.bit_length()} {expected}"
    if n.bit_length() % 8:
        expected = f"odd:{n.bit_length()} {expected}"
    key(f"factor-{f}", expected, rsa_key(n))
n = 65539 * next_prime(rng.getrandbits(2032) | 1 << 2031)
key("factor-65539-is-past-the-bound", f"odd:{n.bit_length()}" if n.bit_length() % 8 else "", rsa_key(n))
key("square", "close", rsa_key(good[0] ** 2))
key("close-next-prime", "close", rsa_key(good[0] * next_prime(good[0] + 2)))
key("close-2^500", "close", rsa_key(good[1] * next_prime(good[1] + 2**500)))
# (p - q)² / (8 √n) steps: this is the least distance that 100 steps do not reach.
key("far-2^520", "", rsa_key(good[1] * next_prime(good[1] + 2**520)))
key("e-1", "trivial", rsa_key(good[2] * good[3], 1))
key("e-even", "even", rsa_key(good[2] * good[3], 65538))
key("e-3", "small:3", rsa_key(good[2] * good[3], 3))
key("e-above", "above", rsa_key(good[2] * good[3], good[2] * good[3] + 2))
key("e-33-bits", "large:33", rsa_key(good[2] * good[3], 2**32 + 15))
for bits, primes in ((512, 39), (1024, 71), (2048, 126)):
    n = roca_prime(bits // 2, primes) * roca_prime(bits // 2, primes)
    found = n.bit_length()
    expected = [f"short:{found}"] * (found < 2048) + [f"odd:{found}"] * (found % 8 > 0) + ["roca"]
    key(f"roca-{bits}", " ".join(expected), rsa_key(n))
for bits in (64, 256, 508):
    p, q = good[4], good[5]
    phi = (p - 1) * (q - 1)
    while True:
        d = rng.getrandbits(bits) | 1 | 1 << bits - 1
        if gcd(d, phi) == 1:
            e = pow(d, -1, phi)
            break
    key(f"wiener-{bits}", f"large:{e.bit_length()} wiener", rsa_key(p * q, e))
d = prime(700)
e = pow(d, -1, (good[4] - 1) * (good[5] - 1))
key("no-wiener-700", f"large:{e.bit_length()}", rsa_key(good[4] * good[5], e))


def curve_keys(curve, kind, bits):
    public = ec.derive_private_key(rng.getrandbits(bits), kind).public_key()
    point = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    key(f"sound-{curve}", "", public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    key(f"sound-{curve}-compressed", "", ec_key(curve, public.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)))
    key(f"off-{curve}", "off", ec_key(curve, point[:-1] + bytes([point[-1] ^ 1])))
    size = len(point) // 2
    key(f"beyond-{curve}", "off", ec_key(curve, b"\4" + b"\xff" * size + point[1 + size:]))
    x = int.from_bytes(point[1 : 1 + size], "big")
    while True:
        x += 1
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(kind, b"\2" + x.to_bytes(size, "big"))
        except ValueError:
            break
    key(f"off-{curve}-compressed", "off", ec_key(curve, b"\2" + x.to_bytes(size, "big")))
    key(f"identity-{curve}", "identity", ec_key(curve, b"\0"))
    one = ec.derive_private_key(1, kind).public_key()
    key(f"generator-{curve}", "generator", one.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


for curve, kind in (("P-256", ec.SECP256R1()), ("P-384", ec.SECP384R1()), ("P-521", ec.SECP521R1())):
    curve_keys(curve, kind, 250)
key("off-secp256k1-ones", "off", ec_key("secp256k1", b"\4" + b"\1" * 64))
ed25519_key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
key("ed25519", "unexamined:algorithm:1.3.101.112", ed25519_key.public_bytes(
    Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
curve_keys("P-224", ec.SECP224R1(), 220)
curve_keys("secp256k1", ec.SECP256K1(), 250)
brainpool = ec.derive_private_key(rng.getrandbits(250), ec.BrainpoolP256R1()).public_key()
key("brainpoolP256r1", "unexamined:curve:1.3.36.3.3.2.8.1.1.7", brainpool.public_bytes(
    Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
# A modulus that is one prime, which has a private key like any other: phi(p) = p - 1.
for bits in (1024, 2048):
    key(f"prime-{bits}", f"short:{bits} prime" if bits < 2048 else "prime", rsa_key(next_prime(rng.getrandbits(bits) | 3 << bits - 2)))
# Primes that only a search finds; named, so that a test knows what is to be found.
for size in (32, 40, 48, 64):
    p = next_prime(rng.getrandbits(size) | 3 << size - 2)
    if size == 64:
        # One that an early curve finds, so that the test is quick: the 64th finds the one above.
        p = next_prime(p + 22_000_000)
    n = p * next_prime(rng.getrandbits(1024 - size) | 3 << 1022 - size)
    expected = f"short:{n.bit_length()}" + f" odd:{n.bit_length()}" * (n.bit_length() % 8 > 0)
    key(f"hidden-{size}:{p}", expected, rsa_key(n))
print("# name, expected weaknesses, SubjectPublicKeyInfo in hexadecimal; made by make_weak_keys.py")
# One prime from the other by a small ratio. The last ones are past the bound: another ratio, and a distance as above.
for u, v, distance, is_found in (
    (3, 2, 0, True), (2, 1, 0, True), (4, 3, 2**400, True), (5, 3, 0, True), (10, 9, 0, True), (7, 1, 0, True),
    (3, 2, 2**495, True), (11, 10, 0, False), (3, 2, 2**530, False),
):
    n = good[3] * next_prime(good[3] * u // v + distance)
    expected = [f"odd:{n.bit_length()}"] * (n.bit_length() % 8 > 0) + [f"ratio:{u}:{v}"] * is_found
    key(f"ratio-{u}-{v}-{distance.bit_length()}", " ".join(expected), rsa_key(n))
print("\n".join(out))
