"""Runs `sallyport relay` on a terminal, and lets its questions end in other ways than by an answer; prints one JSON object.

Arguments: the command and its own arguments; "PARENT" in them becomes the address of a proxy of this script. It wants Basic from jdoe,
as do the servers one.example and two.example behind it. The relay stands for these at the last two of its listeners.
"""

import base64
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading

import terminal_session

password = "first"
bad = 0


def is_right(field, wanted):
    return field == "Basic " + base64.b64encode(f"jdoe:{wanted}".encode()).decode()


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global bad
        field = self.headers.get("Proxy-Authorization")
        if not is_right(field, password):
            bad += field is not None
            return self.reply(407, "Proxy-Authenticate")
        server = self.path.split("/")[2]
        if server in ("one.example", "two.example") and not is_right(self.headers.get("Authorization"), server):
            return self.reply(401, "WWW-Authenticate")
        self.reply(200)

    def reply(self, status, challenge=None):
        self.send_response(status)
        if challenge:
            self.send_header(challenge, 'Basic realm="r"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
proxy.daemon_threads = True
threading.Thread(target=proxy.serve_forever, daemon=True).start()
parent = f"127.0.0.1:{proxy.server_port}"
command = [part.replace("PARENT", parent) for part in sys.argv[1:]]
session = terminal_session.Session(command, os.environ)
session.until(lambda: session.shown.count(" stands for ") == 2)
addresses = [line for line in session.shown.splitlines() if line.startswith("http://") and " stands for " in line]
ports = [int(session.shown.split("http_proxy=http://127.0.0.1:")[1].split()[0])]
ports += [int(line.split()[0].rsplit(":", 1)[1]) for line in addresses]


class Request:
    """A request that is under way; `line` is the status line of its response, and empty without one."""

    def __init__(self, listener=0, target="http://a.example/"):
        self.line = None
        self.stream = socket.create_connection(("127.0.0.1", ports[listener]))
        target = "/" if listener else target
        method = "GET" if "/" in target else "CONNECT"
        self.stream.sendall(f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{ports[listener]}\r\n\r\n".encode())
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            received = self.stream.recv(65536).decode()
        except OSError:
            received = ""
        self.line = received.split("\r\n")[0]

    def end(self):
        session.until(lambda: self.line is not None)
        return self.line.removeprefix("HTTP/1.1 ")


def asks(text):
    """Waits for a question that begins with the text."""
    return session.until(lambda: (session.question() or "").startswith(text))


def shows(text, count=1):
    return session.until(lambda: session.shown.count(text) >= count)


def credentials(*arguments, secret=None):
    key = command[command.index("--key-file") + 1]
    run = subprocess.run(
        [command[0], "credentials", *arguments, "--key-file", key], input=(secret or "").encode(), capture_output=True
    )
    return run.returncode


def keep(url, secret, *options):
    return credentials("add", url, "--user", "jdoe", "--stdin", *options, secret=secret)


result = {}
# The client goes away while a line of the log waits for the end of the question.
left = Request()
asks("User name")
result["held"] = Request(target="127.0.0.1:9").end()
left.stream.shutdown(socket.SHUT_RDWR)
left.stream.close()
shows("The question is withdrawn: no request waits for it any more.")
# A name with two backslashes.
first = Request()
asks("User name")
session.answer("ACME\\\\jdoe")
shows("write ACME\\jdoe")
asks("User name")
session.answer("jdoe")
asks("Password of jdoe")
session.answer("first")
result["first"] = first.end()
# Another process keeps the new password while the question for it is open. SIGHUP does not end the question.
password = "second"
changed = [Request()]
asks("User name [jdoe]")
changed.append(Request())
os.kill(session.child, signal.SIGHUP)
result["kept"] = keep(f"http://{parent}", "second", "--proxy")
result["changed"] = [request.end() for request in changed]
result["withdrawn"] = shows("The question is withdrawn: the store has a password now.") and shows(" notice SIGHUP: ")
# The record goes away while the question is open: it stays, and an empty answer is none.
password = "third"
removed = Request()
asks("User name [jdoe]")
result["removed"] = credentials("remove", f"http://{parent}", "--user", "jdoe", "--proxy")
session.answer("")
asks("Password of jdoe")
session.answer("")
result["empty"] = removed.end()
third = Request()
asks("User name [jdoe]")
session.answer("")
asks("Password of jdoe")
session.answer("third")
result["third"] = third.end()
# Two servers ask at once: the one whose question is not visible is answered by the store.
one = Request(1)
asks("User name")
two = Request(2)
result["two"] = [keep("http://two.example", "two.example"), two.end()]
session.answer("jdoe")
asks("Password of jdoe")
session.answer("one.example")
result["one"] = one.end()
result["bad"] = bad
# Ctrl-C while a question is open.
password = "fourth"
last = Request()
asks("User name [jdoe]")
session.press("\x03")
result["exit"] = session.end()
result["last"] = last.end()
result["shown"] = session.shown
print(json.dumps(result))
