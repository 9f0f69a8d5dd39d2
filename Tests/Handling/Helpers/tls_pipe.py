"""Speaks TLS with a port of this machine for whoever is at the other end of standard input and output.

Argument: the port. The first line printed is the certificate that the server presented (DER, hexadecimal); it is not
checked, since the servers of the tests sign their own. From then on bytes are passed on in both directions.
"""

import os
import select
import socket
import ssl
import sys

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
with context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1])))) as connection:
    os.write(1, connection.getpeercert(True).hex().encode() + b"\n")
    # What arrives may be of TLS alone (session tickets), so that there is nothing to pass on.
    connection.setblocking(False)
    while True:
        readable = [connection] if connection.pending() else select.select([0, connection], [], [])[0]
        if connection in readable:
            try:
                data = connection.recv(65536)
            except ssl.SSLWantReadError:
                continue
            if not data:
                break
            os.write(1, data)
        if 0 in readable:
            data = os.read(0, 65536)
            if not data:
                break
            # Requests of tests are far smaller than the buffer of a socket.
            connection.sendall(data)
