"""A certificate for the web servers of the tests, made anew and signed by itself.

It is signed with SHA-384, which a channel binding has to use as well (RFC 5929 4.1): one that always takes SHA-256 is
a wrong one.
"""

import os
import ssl
import subprocess
import tempfile

COMMAND = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha384 -nodes -days 2 -subj /CN=localhost"


def secured(server):
    """Puts TLS in front of a server; returns the certificate in DER."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("certificate", "key")]
        command = COMMAND.split() + ["-out", paths[0], "-keyout", paths[1]]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            raise SystemExit(f"{command}: exit status {made.returncode}: {made.stderr}")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*paths)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        with open(paths[0]) as file:
            return ssl.PEM_cert_to_DER_cert(file.read())
