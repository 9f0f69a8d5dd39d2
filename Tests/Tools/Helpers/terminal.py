"""Runs a command on a terminal of its own, as a person would see it; prints one JSON object.

Arguments: what to do once the prompt stands there, then the command. "type:TEXT" types a line, "types:TEXT|TEXT" a line at
each prompt, "signal:NAME" sends a signal to the command, and "again:TEXT" sends SIGTSTP, which this command's process group
cannot follow (it is orphaned), and types TEXT when the prompt stands there for the second time. "watch:" waits for no prompt,
and sees the command to its end. "answers:TEXT|TEXT" types a line wherever a line of the screen ends in a prompt, with echo or without.
"""

import json
import os
import pty
import re
import select
import signal
import sys
import termios
import time

action, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    # Results go to a file, so that the terminal shows prompts and echoes alone.
    os.dup2(os.open(os.environ["OUTPUT"], os.O_WRONLY | os.O_CREAT, 0o600), 1)
    # The parent process may have ignored some: shells do so for background jobs.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)

# A command that hangs is killed after so many seconds.
PATIENCE = 1200
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
signal.alarm(PATIENCE + 100)
seen = b""
ended = False


def wait_for(condition):
    global seen, ended
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not condition():
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                ended = True
                return


def echoes():
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def asks():
    """Whether the last question can be answered: a name is typed with echo, everything else without."""
    return not echoes() or seen.rpartition(b"\n")[2].startswith(b"User name")


def prompts():
    return seen.count(b": ")


kind, _, text = action.partition(":")
if kind == "answers":
    for line in text.split("|"):
        typed = len(seen)
        wait_for(lambda: ended or len(seen) > typed and re.search(rb"(?:^|\n)[A-Z][a-z]*: $", seen))
        if ended:
            break
        os.write(terminal, line.encode() + b"\n")
    wait_for(lambda: ended)
wait_for(lambda: ended if kind in ("watch", "answers") else prompts() == 1 and not echoes())
hidden = not ended and not echoes()
if kind == "again":
    os.kill(child, signal.SIGTSTP)
    wait_for(lambda: prompts() == 2 and not echoes())
if kind == "signal":
    os.kill(child, getattr(signal, text))
elif kind == "types":
    for number, line in enumerate(text.split("|"), 1):
        wait_for(lambda: ended or prompts() == number and asks())
        if ended:
            break
        os.write(terminal, line.encode() + b"\n")
        # The answer is taken when the terminal echoes again; the next question hides it again.
        wait_for(lambda: ended or echoes() or prompts() > number)
elif kind not in ("watch", "answers"):
    os.write(terminal, text.encode() + b"\n")
status = os.waitpid(child, 0)[1]
restored = ended or echoes()
wait_for(lambda: ended or not select.select([terminal], [], [], 0)[0])
signal.alarm(0)
result = {
    "hidden": hidden,
    "restored": restored,
    "prompts": prompts(),
    "shown": seen.decode(),
    "exit": os.waitstatus_to_exitcode(status),
    "output": open(os.environ["OUTPUT"]).read(),
}
print(json.dumps(result))
