#!/usr/bin/env python3
"""Makes cases.tsv beside this file: what x509-limbo says of certificates that servers present.

    make_cases.py CHECKOUT    CHECKOUT is a clone of github.com/C2SP/x509-limbo, whose package `limbo` makes the cases

It needs limbo's own requirements (pydantic, cryptography, pyyaml, requests, jinja2). A line has, separated by tabs: the
case's name, `accepted` or `refused`, the host, the time in seconds since 1970, then the leaf, the other certificates that
are presented, and the roots, as base64 of DER, several separated by commas. The keys are new each time.
"""
import base64
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# 2025-01-01T00:00:00Z, for cases without a time.
TIME = 1_735_689_600
# What these cases test, the validator is not asked: it has no revocation lists, and no depth is given to it. The cases of
# denial of service have 600 kB.
LEFT_OUT = {"has-crl", "max-chain-depth", "denial-of-service"}


def der(pem):
    return re.sub(r"-----[^-]*-----|\s", "", pem)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    from limbo.testcases import registry

    lines = []
    for make in registry.values():
        case = make()
        if case.validation_kind != "SERVER" or LEFT_OUT & {str(feature) for feature in case.features or []}:
            continue
        time = case.validation_time
        # The validator's time has whole seconds.
        if case.expected_peer_name is None or time and time.microsecond:
            continue
        others, roots = (",".join(map(der, pems)) for pems in (case.untrusted_intermediates, case.trusted_certs))
        lines.append(
            "\t".join(
                [
                    case.id, "accepted" if case.expected_result == "SUCCESS" else "refused", case.expected_peer_name.value,
                    str(int(time.timestamp()) if time else TIME), der(case.peer_certificate), others, roots,
                ]
            )
        )
    for line in lines:
        for certificate in re.split("[\t,]", line)[4:]:
            base64.b64decode(certificate, validate=True)
    (HERE / "cases.tsv").write_text("\n".join(sorted(lines)) + "\n")
    print(f"{len(lines)} cases")


main()
