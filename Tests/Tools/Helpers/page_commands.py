"""Types the commands of a page one after the other, each on a terminal; prints a JSON array of what came of each.

Arguments: a folder that becomes HOME, the page to request, the account and its password, then the commands for the shell. Each
question gets its answer. Through a relay that serves, the page is requested once directly and once by a tunnel.
"""

import json
import os
import signal
import socket
import sys

import terminal_session

home, page, user, password, *commands = sys.argv[1:]
host = page.split("/")[2]
path = "/" + page.split("/", 3)[3]
environment = dict(os.environ, HOME=home)
for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
    environment.pop(name, None)


def answer(question):
    if question.startswith("User name"):
        return user
    return password if question.lower().startswith("password of") else "a pass phrase"


def statuses(port):
    """The page's status as a proxy's client and by a tunnel."""
    found = []
    for beginning, target in ((f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n", path), ("", page)):
        stream = socket.create_connection(("127.0.0.1", port))
        if beginning:
            stream.sendall(beginning.encode())
            stream.recv(65536)
        stream.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        found.append(int(stream.recv(65536).split()[1]))
        stream.close()
    return found


results = []
for command in commands:
    session = terminal_session.Session(["bash", "-c", command], environment)
    asked, got = [], []
    while True:
        session.until(lambda: session.question() is not None or "export no_proxy" in session.shown)
        question = session.question()
        if question is None:
            break
        asked.append(question)
        session.answer(answer(question))
    if session.status is None:
        got = statuses(int(session.shown.split("http://127.0.0.1:")[-1].split()[0]))
        session.end(signal.SIGTERM)
    results.append({"asked": len(asked), "statuses": got, "exit": session.status, "shown": session.shown})
print(json.dumps(results))
