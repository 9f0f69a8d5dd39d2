"""What Squid on a port of loopback does with a dstdomain list: reads {"list": text, "urls": [...]} and prints the answer to each URL as JSON.

    squid_answers.py PORT

An answer is true if a Squid that allows only the list lets the request in. A list that Squid refuses or warns of ends
this program with Squid's words.
"""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SQUID = "/usr/sbin/squid"
PATIENCE = 1200
# Seconds after which a server that holds the port and says nothing is asked again.
SILENCE = 2

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
visible_hostname {shown}
"""


def is_allowed(port, url):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", url)
    status = connection.getresponse().status
    connection.close()
    # An allowed request has no parent to go to, so it ends with another error.
    if status != 403 and status < 500:
        sys.exit(f"{url}: status {status}")
    return status != 403


def serves(squid, port, shown):
    """Waits until this Squid answers; false if it has ended. Its page has its name, and that of another server does not."""
    end = time.monotonic() + PATIENCE
    while squid.poll() is None and time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SILENCE)
        try:
            connection.request("GET", "/")
            if shown.encode() in connection.getresponse().read():
                return True
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
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
    port, question = int(sys.argv[1]), json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o777)
        (folder / "list").write_text(question["list"] + "\n")
        # Squids with one service name share memory. A name has letters and digits only.
        service = "answers" + "".join(each for each in folder.name if each.isalnum())
        shown = f"{service.lower()}.test"
        (folder / "squid.conf").write_text(CONFIGURATION.format(folder=folder, port=port, shown=shown))
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
            if serves(squid, port, shown):
                print(json.dumps([is_allowed(port, url) for url in question["urls"]]))
                return
        finally:
            stop(squid, service)
        lines = (folder / "cache.log").read_text().splitlines()
        sys.exit("squid did not start: " + next((line for line in reversed(lines) if "FATAL" in line), "".join(lines[-1:])))


main()
