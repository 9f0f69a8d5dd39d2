"""Reads a sealed credential store by its published layout, with Python's cryptography, and prints its records as JSON.

    sealed_file_oracle.py STORE key-file|passphrase FILE

FILE holds the 32 bytes of the key, or the passphrase.
"""
import hashlib
import hmac
import json
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

KINDS = {"passphrase": 1, "key-file": 2}


def number(data, start, size):
    return int.from_bytes(data[start : start + size], "little")


def derived(key, salt, purpose):
    return HKDF(hashes.SHA256(), 32, salt=salt, info=purpose).derive(key)


def data_key(data, identifier, kind, secret):
    for index in range(number(data, 10, 2)):
        slot = data[48 + 108 * index : 48 + 108 * (index + 1)]
        if slot[4] != KINDS[kind]:
            continue
        salt = slot[16:48]
        if kind == "passphrase":
            wrapping = Scrypt(salt, 32, n=1 << slot[5], r=slot[6], p=slot[7]).derive(secret)
        else:
            wrapping = derived(secret, salt, b"sallyport key slot")
        return AESGCMSIV(wrapping).decrypt(slot[48:60], slot[60:], data[:10] + identifier + slot[:48])
    sys.exit("no such key slot")


def texts(name):
    place = 4
    while place < len(name):
        length = number(name, place, 2)
        place += 2
        if length == 0xFFFF:
            yield None
        else:
            yield name[place : place + length].decode()
            place += length


def record(contents):
    layout, flags = number(contents, 0, 2), number(contents, 2, 2)
    name_end = 28 + number(contents, 20, 4)
    end = name_end + number(contents, 24, 4)
    assert not any(contents[end:]) and len(contents) % 128 == 0 and len(contents) - end < 128
    name = contents[28:name_end]
    assert layout == (2 if name[1] == 3 else 1)
    scheme, host, realm, user, domain, kind, *path = texts(name)
    assert len(path) == (name[1] == 3)
    return name, {
        "party": name[0],
        "reach": name[1],
        "port": number(name, 2, 2),
        "scheme": scheme,
        "host": host,
        "realm": realm,
        "path": path[0] if path else None,
        "user": user,
        "domain": domain,
        "kind": kind,
        "secret": contents[name_end:end].decode(),
        "created": number(contents, 4, 8),
        "expires": number(contents, 12, 8) if flags else None,
    }


def main():
    path, kind, secret = sys.argv[1:]
    data, secret = open(path, "rb").read(), open(secret, "rb").read()
    assert data[:8] == b"SPSTORE\0" and number(data, 8, 2) == 1 and number(data, 40, 8) == len(data)
    identifier = data[16:32]
    key = data_key(data, identifier, kind, secret)
    file_key = derived(key, identifier, b"sallyport store file")
    assert hmac.compare_digest(hmac.digest(file_key, data[:-32], hashlib.sha256), data[-32:])
    records_key = derived(key, identifier, b"sallyport store records")
    names_key = derived(key, identifier, b"sallyport store names")
    place, records, order = 48 + 108 * number(data, 10, 2), [], []
    while place < len(data) - 32:
        size = number(data, place, 4)
        tags, box = data[place + 4 : place + 36], data[place + 36 : place + 36 + size]
        context = data[:10] + identifier + tags
        name, fields = record(AESGCMSIV(records_key).decrypt(box[:12], box[12:], context))
        host = bytes([fields["party"]]) + f"{fields['scheme']}://{fields['host']}".encode()
        assert tags[:16] == hmac.digest(names_key, b"\0" + host, hashlib.sha256)[:16]
        assert tags[16:] == hmac.digest(names_key, b"\1" + name, hashlib.sha256)[:16]
        records.append(fields)
        order.append(tags)
        place += 36 + size
    assert place == len(data) - 32 and len(records) == number(data, 12, 4)
    assert order == sorted(set(order))
    print(json.dumps({"write": number(data, 32, 8), "records": records}))


main()
