#!/usr/bin/env python3
"""Makes Data/Recordings/public-sites: the facts of a recording of chains, without its certificates' bytes.

    public_sites_facts.py RECORDING [OUT]

RECORDING holds observations.ndjson, certificates.ndjson, certificates.pem and recording.json. Each fact of a certificate that
its bytes tell by a hash is computed again from certificates.pem before it is carried over. Standard library only.
"""
import base64
import hashlib
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
OBSERVATION = ["time", "first", "last", "host", "port", "chain", "presented", "next_keys", "label", "source", "note"]
CERTIFICATE = [
    "certificate_sha256", "spki_sha256", "key_type", "key_bits", "subject", "issuer", "not_before", "not_after", "is_ca",
]


def element(der, start):
    """Where the content of the DER element at `start` begins, and where the element ends."""
    length, content = der[start + 1], start + 2
    if length & 0x80:
        count = length & 0x7F
        length, content = int.from_bytes(der[content:content + count], "big"), content + count
    return content, content + length


def key_hash(der):
    """SHA-256 of SubjectPublicKeyInfo: the sixth or seventh field of TBSCertificate (RFC 5280 4.1)."""
    place, _ = element(der, element(der, 0)[0])
    skipped = 6 if der[place] == 0xA0 else 5
    for _ in range(skipped):
        place = element(der, place)[1]
    return base64.b64encode(hashlib.sha256(der[place:element(der, place)[1]]).digest()).decode()


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def write(path, records, fields):
    kept = [{name: record[name] for name in fields if name in record} for record in records]
    text = "".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n" for record in kept)
    path.write_text(text)
    print(f"{hashlib.sha256(text.encode()).hexdigest()}  {path.name}")


def main():
    source = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent / "public-sites"
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----",
                        (source / "certificates.pem").read_text(), re.S)
    bodies = [base64.b64decode(block) for block in blocks]
    hashes = {hashlib.sha256(der).hexdigest(): key_hash(der) for der in bodies}
    certificates = lines(source / "certificates.ndjson")
    for certificate in certificates:
        if hashes.get(certificate["certificate_sha256"]) != certificate["spki_sha256"]:
            sys.exit(f"{certificate['certificate_sha256']}: its bytes say otherwise, or are missing")
    out.mkdir(parents=True, exist_ok=True)
    write(out / "observations.ndjson", lines(source / "observations.ndjson"), OBSERVATION)
    write(out / "certificates.ndjson", certificates, CERTIFICATE)
    about = json.loads((source / "recording.json").read_text())
    text = json.dumps({name: about[name] for name in ("name", "origin", "time")}, indent=1) + "\n"
    (out / "recording.json").write_text(text)
    print(f"{hashlib.sha256(text.encode()).hexdigest()}  recording.json")


main()
