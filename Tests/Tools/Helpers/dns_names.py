"""A DNS server with the IPv4 addresses of a few names: dns_names.py ADDRESS LOG NAME=ADDRESS…

It listens on port 53 of ADDRESS, says `ready`, and adds a line to LOG for each name that is asked for.
"""
import socket
import sys

names = dict(argument.split("=") for argument in sys.argv[3:])
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
print("ready", flush=True)
with open(sys.argv[2], "w", buffering=1, encoding="utf-8") as log:
    while True:
        query, client = server.recvfrom(4096)
        # RFC 1035 section 4.1: a header of 12 bytes, then the labels of the name, its type and its class.
        labels, position = [], 12
        while length := query[position]:
            labels.append(query[position + 1 : position + 1 + length].decode("ascii").lower())
            position += 1 + length
        name, kind = ".".join(labels), int.from_bytes(query[position + 1 : position + 3], "big")
        log.write(name + "\n")
        known = names.get(name)
        # The name of the question, type A, class IN, no time to live, four bytes.
        answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(known) if known and kind == 1 else b""
        # A response with authority, which says that a name does not exist (3) where it is not known.
        flags = b"\x85\x80" if known else b"\x85\x83"
        counts = b"\0\1\0" + bytes([1 if answer else 0]) + b"\0\0\0\0"
        server.sendto(query[:2] + flags + counts + query[12 : position + 5] + answer, client)
