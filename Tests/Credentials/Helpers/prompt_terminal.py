"""Runs a command on a terminal of its own, as a person would see it; prints one JSON object.

Arguments: a JSON list of steps, then the command. The steps: "hidden" waits for a terminal without echo, "shown:TEXT" waits for
TEXT on the screen, "type:TEXT" types a line, "bytes:HEX" types bytes, "signal:NAME" sends a signal to the command, "stop" sends
SIGTSTP and waits until the command has stopped with a terminal that echoes, "continue" sends SIGCONT. With "background" as the first
step, the command is not in the foreground.
The command's output goes to a file, so that the terminal shows prompts and echoes alone.
"""

import json
import os
import pty
import select
import signal
import sys
import tempfile
import termios
import time

# Only what hangs takes so many seconds.
PATIENCE = 1200
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
output = tempfile.NamedTemporaryFile()
child, terminal = pty.fork()
if child == 0:
    # A shell between the terminal and the command: without a parent in its session, the kernel lets no process stop.
    command_process = os.fork()
    if command_process == 0:
        os.setpgid(0, 0)
        # The command ends with a test that hangs.
        signal.alarm(PATIENCE)
        while os.tcgetpgrp(0) != os.getpid() and steps[:1] != ["background"]:
            time.sleep(0.001)
        # The command may change the settings only after they have been read.
        while not os.path.exists(output.name + ".go"):
            time.sleep(0.001)
        signal.alarm(0)
        os.dup2(os.open(output.name, os.O_WRONLY), 1)
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execv(command[0], command)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        os.setpgid(command_process, command_process)
    except PermissionError:
        # In the background the command may have begun already, in the group that it made itself.
        pass
    if steps[:1] != ["background"]:
        os.tcsetpgrp(0, command_process)
    with open(output.name + ".pid", "w") as file:
        file.write(str(command_process))
    os.rename(output.name + ".pid", output.name + ".process")
    status = os.waitpid(command_process, 0)[1]
    with open(output.name + ".ended", "w") as file:
        file.write(str(os.waitstatus_to_exitcode(status)))
    os.rename(output.name + ".ended", output.name + ".status")
    # The terminal stays open until its settings have been read.
    time.sleep(300)
    os._exit(0)

before = termios.tcgetattr(terminal)
open(output.name + ".go", "w").close()
seen = b""


def read():
    global seen
    if select.select([terminal], [], [], 0.01)[0]:
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            pass


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        # The shell lives until its terminal has been read.
        is_gone = os.waitpid(child, os.WNOHANG)[0] != 0
        if is_gone or time.monotonic() > end:
            for left in [process] if is_gone else [process, child]:
                if left:
                    try:
                        os.kill(left, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            sys.exit(f"waited for {what}, saw {seen!r}" + (", and the shell has ended" if is_gone else ""))
        read()


def echoes():
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def state():
    with open(f"/proc/{process}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def ended():
    return os.path.exists(output.name + ".status")


process = None
wait_for(lambda: os.path.exists(output.name + ".process"), "the command")
process = int(open(output.name + ".process").read())
os.unlink(output.name + ".process")
position = 0
for step in steps:
    kind, _, text = step.partition(":")
    if kind == "hidden":
        wait_for(lambda: not echoes() or ended(), step)
    elif kind == "shown":
        wait_for(lambda: text.encode() in seen[position:] or ended(), step)
        position = len(seen)
    elif kind == "type":
        os.write(terminal, text.encode() + b"\n")
    elif kind == "bytes":
        os.write(terminal, bytes.fromhex(text))
    elif kind == "signal":
        os.kill(process, getattr(signal, text))
    elif kind == "stop":
        os.kill(process, signal.SIGTSTP)
        wait_for(lambda: state() == "T" or ended(), step)
        wait_for(lambda: echoes(), "echo after the stop")
    elif kind == "continue":
        os.kill(process, signal.SIGCONT)
wait_for(ended, "the end of the command")
# What the terminal still holds.
for _ in range(3):
    read()
result = {
    "restored": termios.tcgetattr(terminal) == before,
    "shown": seen.decode(errors="replace").replace("\r\n", "\n"),
    "exit": int(open(output.name + ".status").read()),
    "output": open(output.name, encoding="utf-8", errors="replace").read(),
}
os.unlink(output.name + ".status")
os.unlink(output.name + ".go")
os.kill(child, signal.SIGKILL)
print(json.dumps(result))
