"""Records the day. Started by record-corporate-day, inside namespaces of its own: see there."""

import shutil
import sys
import tempfile
from pathlib import Path

import check_recording
import hostile
import origin_note
import policy
import processes
import profile_file
import server_apache
import server_others
import server_squid
from certificates import Certificates
from conversation import Client
from schedule import Day
from versions import server_versions
from writer import Recording


def main(output: Path) -> int:
    work = Path(tempfile.mkdtemp(prefix="corporate-day."))
    work.chmod(0o755)
    fleet = processes.Fleet(work)
    try:
        made, recording = Certificates(), Recording()
        start_servers(fleet, work, made)
        tasks = Day(work).plan().tasks()
        client = Client(recording, made)
        for number, task in enumerate(tasks):
            if number % 100 == 0:
                print(f"{number} of {len(tasks)} exchanges", file=sys.stderr)
            task.run(client)
    except Exception:
        # The servers' logs tell more than the exception; they stay for reading.
        print(f"record-corporate-day: failed; the servers' files are left in {work}", file=sys.stderr)
        fleet.stop()
        raise
    fleet.stop()
    shutil.rmtree(work)
    write(output, recording, made)
    return check_recording.main([str(output)])


def start_servers(fleet: processes.Fleet, work: Path, made: Certificates) -> None:
    """Everything that the client will speak to."""
    processes.private_machine([policy.JDOE.user])
    made.write(work / "tls")
    for machine in server_apache.MACHINES:
        server_apache.start(fleet, work, machine)
    server_others.start_lighttpd(fleet, work)
    server_others.start_nginx(fleet, work)
    smb_configuration = server_squid.start_samba(fleet, work)
    server_squid.start_squids(fleet, work, smb_configuration)


def write(output: Path, recording: Recording, made: Certificates) -> None:
    """The folder as it ships."""
    output.mkdir(parents=True, exist_ok=True)
    for folder in ("secrets", "identities"):
        # Accounts and identities of an earlier recording must be removed.
        shutil.rmtree(output / folder, ignore_errors=True)
    servers = server_versions()
    recording.write(output, servers)
    hostile.write(output / "hostile.ndjson", recording, servers)
    profile_file.write(output, made)
    origin_note.write(output, servers)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
