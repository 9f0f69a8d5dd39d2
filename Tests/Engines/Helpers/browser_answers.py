"""Which URLs a browser gives its own credentials to: reads {"list": text, "urls": [...]}, prints the answers as JSON.

    browser_answers.py chromium    the list is AuthServerAllowlist
    browser_answers.py firefox     the list is network.negotiate-auth.trusted-uris

The browser's proxy is a server here, which stands for every host, and asks each URL for Negotiate. Its page leads to the
next URL. Whether the browser would answer is in its own log, so no ticket is needed.
"""
import ipaddress
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

# In seconds; only a browser that hangs takes so long, also where four of them share two processors.
PATIENCE = 1200
# Chromium loads its library of tickets with the first challenge, and refuses this one.
FIRST = "https://first.example/"
# It writes its log in batches, so that a few more requests bring out what is wanted.
LAST = [f"https://last-{number}.example/" for number in range(9)]


def run_quietly(*command):
    """Runs a program; what it says is for the one who looks for the reason of a failure."""
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {ended.returncode}: {ended.stdout}{ended.stderr}")


def openssl(*arguments):
    run_quietly("openssl", *arguments)


def alternative_name(host):
    try:
        return f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        return f"DNS:{host}"


def make_certificates(folder, urls):
    names = sorted({alternative_name(urllib.parse.urlsplit(url).hostname) for url in urls})
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    (folder / "extensions").write_text(
        f"basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName={','.join(names)}\n"
    )
    authority, request, own = folder / "authority", folder / "request", folder / "own"
    openssl("req", "-x509", *key, "-keyout", f"{authority}.key", "-out", authority, "-subj", "/CN=authority", "-days", "9")
    openssl("req", "-new", *key, "-keyout", f"{own}.key", "-out", request, "-subj", "/CN=server")
    openssl(
        "x509", "-req", "-in", request, "-CA", authority, "-CAkey", f"{authority}.key", "-set_serial", "2", "-days", "5",
        "-extfile", folder / "extensions", "-out", own,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, f"{own}.key")
    return context


class Server:
    def __init__(self, context, urls):
        self.context, self.urls = context, urls
        self.asked = []
        self.isDone = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            while head := self.head(connection):
                if head.startswith("CONNECT "):
                    connection.sendall(b"HTTP/1.1 200 ok\r\n\r\n")
                    connection = self.context.wrap_socket(connection, server_side=True)
                else:
                    connection.sendall(self.answer(head, isinstance(connection, ssl.SSLSocket)))
        except OSError:
            # What a browser asks for itself, it asks without trust in this server.
            pass

    @staticmethod
    def head(connection):
        head = b""
        while b"\r\n\r\n" not in head:
            more = connection.recv(65536)
            if not more:
                return None
            head += more
        return head.decode("latin-1")

    def answer(self, head, is_tls):
        host = re.search(r"^host: (.*)\r$", head, re.M | re.I)[1]
        url = f"{'https' if is_tls else 'http'}://{host}/"
        if url not in self.urls or head.split()[1] not in ("/", url):
            return b"HTTP/1.1 404 none\r\nContent-Length: 0\r\n\r\n"
        position = self.urls.index(url)
        if url not in self.asked:
            self.asked.append(url)
        page = "the end"
        if position + 1 < len(self.urls):
            page = f"<script>location = {json.dumps(self.urls[position + 1])}</script>"
        else:
            self.isDone.set()
        return (
            "HTTP/1.1 401 who\r\nWWW-Authenticate: Negotiate\r\nContent-Type: text/html\r\n"
            f"Content-Length: {len(page)}\r\n\r\n{page}"
        ).encode()


def run(command, server, answers, **options):
    """Runs the browser until `answers` has one for each URL; a browser writes its log behind its requests."""
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    end = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            found = answers() if server.isDone.wait(1) else None
            if found is not None:
                return found
            time.sleep(0.5)
        sys.exit(f"no answer to all of {server.urls}; the browser asked for {server.asked}")
    finally:
        browser.terminate()
        try:
            browser.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            browser.kill()


def chromium(folder, server, entries):
    log = folder / "net.json"

    def answers():
        # One line for each event; the names of events are in the first one, and the last line may be half.
        lines = log.read_text().splitlines()
        result = json.loads(re.search(r'"AUTH_HANDLER_CREATE_RESULT":(\d+)', lines[0])[1])
        found = {}
        for line in lines[1:]:
            if f'"type":{result}' not in line or not line.rstrip().endswith(("},", "}")):
                continue
            parameters = json.loads(line.rstrip().rstrip(","))["params"]
            found[parameters["origin"]] = parameters.get("allows_default_credentials", False)
        origins = [url.removesuffix("/") for url in server.urls]
        wanted = origins[:-len(LAST)]
        return [found[origin] for origin in wanted] if all(origin in found for origin in wanted) else None

    return run(
        [
            "/usr/bin/chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--ignore-certificate-errors",
            "--disable-features=LocalNetworkAccessChecks,HttpsUpgrades,HttpsFirstBalancedMode,HttpsFirstBalancedModeAutoEnable",
            f"--proxy-server=http://127.0.0.1:{server.port}",
            "--proxy-bypass-list=<-loopback>", f"--auth-server-allowlist={entries}",
            "--gssapi-library-name=libgssapi_krb5.so.2", f"--log-net-log={log}", f"--user-data-dir={folder / 'profile'}",
            server.urls[0],
        ],
        server,
        answers,
    )


def firefox(folder, server, entries):
    profile, log = folder / "profile", folder / "log"
    profile.mkdir()
    database = f"sql:{profile}"
    run_quietly("certutil", "-N", "-d", database, "--empty-password")
    run_quietly("certutil", "-A", "-n", "a", "-t", "C,,", "-i", folder / "authority", "-d", database)
    preferences = {
        "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": server.port,
        "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": server.port,
        "network.negotiate-auth.trusted-uris": entries, "app.update.enabled": False, "dom.security.https_first": False,
        "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
        "browser.aboutwelcome.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    }
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
    (profile / "user.js").write_text("".join(lines))
    environment = dict(os.environ, MOZ_LOG="negotiateauth:5,sync", MOZ_LOG_FILE=str(log), HOME=str(folder))

    def answers():
        text = "".join(file.read_text() for file in folder.glob("log*.moz_log"))
        # One line for each challenge, in the order of the requests.
        found = [match[0].startswith("service") for match in re.finditer(r"service = |URI blocked", text)]
        return found[:-len(LAST)] if len(found) == len(server.urls) else None

    command = ["/usr/bin/firefox-esr", "--headless", "--no-remote", "--profile", profile, server.urls[0]]
    return run(command, server, answers, env=environment)


def main():
    # A program that blocks signals hands that down, and the browser would not end.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    browser = {"chromium": chromium, "firefox": firefox}[sys.argv[1]]
    question = json.load(sys.stdin)
    urls = [FIRST, *dict.fromkeys(question["urls"]), *LAST]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        server = Server(make_certificates(folder, urls), urls)
        answers = dict(zip(urls, browser(folder, server, question["list"])))
    print(json.dumps([answers[url] for url in question["urls"]]))


main()
