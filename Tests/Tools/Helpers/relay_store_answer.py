"""Runs `sallyport relay` on a terminal, and keeps the password with another process while the relay's question is open; prints one JSON
object.

Arguments: the page to request, the proxy's URL, the account and its password, then the command with its own arguments. The page is
requested once directly and once by a tunnel, at the same time.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading

import terminal_session

page, proxy, user, password, *command = sys.argv[1:]
host = page.split("/")[2]
path = "/" + page.split("/", 3)[3]
session = terminal_session.Session(command, os.environ)
session.until(lambda: "export no_proxy" in session.shown)
port = int(session.shown.split("http_proxy=http://127.0.0.1:")[1].split()[0])
statuses = {}


def request(name, beginning, target):
    stream = socket.create_connection(("127.0.0.1", port))
    lines = []
    if beginning:
        stream.sendall(beginning.encode())
        lines.append(stream.recv(65536).decode().split("\r\n")[0])
    stream.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    lines.append(stream.recv(65536).decode().split("\r\n")[0])
    statuses[name] = [line.split()[1] for line in lines]


threads = [
    threading.Thread(target=request, args=arguments)
    for arguments in [("page", "", page), ("tunnel", f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n", path)]
]
for thread in threads:
    thread.start()
session.until(lambda: session.question() is not None)
key = command[command.index("--key-file") + 1]
add = [command[0], "credentials", "add", proxy, "--proxy", "--user", user, "--stdin", "--key-file", key]
kept = subprocess.run(add, input=password.encode(), capture_output=True).returncode
session.until(lambda: not any(thread.is_alive() for thread in threads))
session.until(lambda: "The question is withdrawn" in session.shown)
status = session.end(signal.SIGTERM)
print(json.dumps({"kept": kept, "statuses": statuses, "exit": status, "shown": session.shown}))
