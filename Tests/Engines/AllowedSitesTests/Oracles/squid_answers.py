"""What Squid does with a dstdomain list: reads {"list": text, "urls": [...]} and prints the answer to each URL as JSON.

An answer is true if a Squid that allows only the list lets the request in. A list that Squid refuses or warns of ends
this program with Squid's words.
"""
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

SQUID = "/usr/sbin/squid"
PATIENCE = 1200
ATTEMPTS = 5

CONFIGURATION = """
acl ours dstdomain "{folder}/list"
http_access allow ours
http_access deny all
never_direct allow all
http_port 127.0.0.1:{port}
cache_effective_user proxy
pid_filename none
cache_log {folder}/cache.log
access_log none
coredump_dir {folder}
cache_mem 1 MB
shutdown_lifetime 0 seconds
pinger_enable off
visible_hostname squid.example
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def is_allowed(port, url):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", url)
    status = connection.getresponse().status
    connection.close()
    # An allowed request has no parent to go to, so it ends with another error.
    if status != 403 and status < 500:
        sys.exit(f"{url}: status {status}")
    return status != 403


def listens(squid, port):
    """Waits for Squid; false if it has ended."""
    end = time.monotonic() + PATIENCE
    while squid.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def stop(squid, service):
    # Squid removes its shared memory when it ends by itself.
    squid.terminate()
    try:
        squid.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        squid.kill()
        squid.wait()
    for left in pathlib.Path("/dev/shm").glob(f"{service}-*.shm"):
        left.unlink(missing_ok=True)


def main():
    question = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o777)
        (folder / "list").write_text(question["list"] + "\n")
        # Squids with one service name share memory. A name has letters and digits only.
        service = "answers" + "".join(each for each in folder.name if each.isalnum())
        # Between the choice of a port and the start another program may take the port.
        for _ in range(ATTEMPTS):
            port = free_port()
            (folder / "squid.conf").write_text(CONFIGURATION.format(folder=folder, port=port))
            parsed = subprocess.run(
                [SQUID, "-k", "parse", "-n", service, "-f", folder / "squid.conf"], capture_output=True, text=True
            )
            complaints = [
                line for line in parsed.stderr.splitlines() if "ERROR" in line or "FATAL" in line or "WARNING" in line
            ]
            if parsed.returncode or complaints:
                sys.exit("\n".join(complaints or [f"status {parsed.returncode}"]))
            squid = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", SQUID, "-N", "-n", service, "-f", folder / "squid.conf"],
                stderr=subprocess.DEVNULL,
            )
            try:
                if listens(squid, port):
                    print(json.dumps([is_allowed(port, url) for url in question["urls"]]))
                    return
            finally:
                stop(squid, service)
        lines = (folder / "cache.log").read_text().splitlines()
        sys.exit("squid did not start: " + next((line for line in reversed(lines) if "FATAL" in line), "".join(lines[-1:])))


main()
