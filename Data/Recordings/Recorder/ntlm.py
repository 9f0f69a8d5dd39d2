"""NTLM, the client's side, by pyspnego, with every random number that it draws written down."""

import base64
import os
from unittest import mock

import spnego
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from spnego._ntlm_raw.messages import Authenticate
from spnego.channel_bindings import GssChannelBindings

import certificates
import policy


class NTLMClient:
    """One handshake: `negotiate`, then `authenticate`."""

    def __init__(self, account: policy.Account, host: str, binding: bytes | None) -> None:
        """`host` makes the SPN HTTP/host; `binding` is the application data of the channel bindings, if any."""
        self._context = spnego.client(
            account.qualified_user,
            account.password,
            hostname=host,
            service="HTTP",
            protocol="ntlm",
            options=spnego.NegotiateOptions.use_ntlm,
            channel_bindings=GssChannelBindings(application_data=binding) if binding else None,
        )

    def negotiate(self) -> str:
        return "NTLM " + base64.b64encode(self._context.step()).decode()

    def authenticate(self, challenge: str) -> tuple[str, dict]:
        """The answer to `NTLM <base64>`, and the nonces that it was made with."""
        drawn: list[bytes] = []
        draw = os.urandom

        def noted(count: int) -> bytes:
            drawn.append(draw(count))
            return drawn[-1]

        with mock.patch("spnego._ntlm.os.urandom", noted):
            message = self._context.step(base64.b64decode(challenge.split()[1]))
        by_length = {len(number): number for number in drawn}
        assert set(by_length) <= {8, 16} and len(drawn) == len(by_length), "pyspnego draws other numbers than it did"
        response = Authenticate.unpack(message).nt_challenge_response
        # NTProofStr (16), then the client's challenge: type (2), zeros (6), FILETIME (8), nonce (8).
        assert response[32:40] == by_length[8], "the nonce in the message is not the one that was drawn"
        nonces = {
            "clientChallenge": by_length[8].hex(),
            "exportedSessionKey": by_length[16].hex() if 16 in by_length else None,
            "timestamp": str(int.from_bytes(response[24:32], "little")),
        }
        return "NTLM " + base64.b64encode(message).decode(), nonces


def end_point_binding(leaf: x509.Certificate) -> bytes:
    """Application data of `tls-server-end-point` (RFC 5929 section 4.1)."""
    algorithm = leaf.signature_hash_algorithm
    if isinstance(algorithm, (hashes.MD5, hashes.SHA1)):
        algorithm = hashes.SHA256()
    digest = hashes.Hash(algorithm)
    digest.update(certificates.der(leaf))
    return b"tls-server-end-point:" + digest.finalize()
