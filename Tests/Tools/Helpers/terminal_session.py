"""One command on a terminal of its own, for the scripts beside this one."""

import os
import pty
import re
import select
import signal
import termios
import time

# Far beyond what a busy machine needs; a test that waits so long has failed.
PATIENCE = 1200


class Session:
    """A running command, and what its terminal has shown."""

    def __init__(self, command, environment):
        self.shown = ""
        self.status = None
        self._answered = 0
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(command[0], command, environment)

    def until(self, condition):
        """Reads what comes until the condition holds; returns whether it does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not condition() and self.status is None:
            self._look()
        return condition()

    def _look(self):
        if select.select([self.terminal], [], [], 0.02)[0]:
            try:
                self.shown += os.read(self.terminal, 4096).decode(errors="replace")
                return
            except OSError:
                pass
        ended, status = os.waitpid(self.child, os.WNOHANG)
        if ended:
            self.status = os.waitstatus_to_exitcode(status)

    def question(self):
        """The question that stands at the end of the terminal and has no answer yet; `None` without one."""
        found = re.search(r"([^\r\n]*): $", self.shown[self._answered :])
        if not found:
            return None
        echoes = bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)
        return found[1] if echoes == found[1].startswith("User name") else None

    def answer(self, text):
        """Types a line at the question."""
        self._answered = len(self.shown)
        self.press(text + "\n")

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def end(self, number=None):
        """Sends a signal, and waits for the end."""
        if number is not None:
            os.kill(self.child, number)
        self.until(lambda: self.status is not None)
        return self.status
