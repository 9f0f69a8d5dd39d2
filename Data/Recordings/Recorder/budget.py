"""The naive reading of the lock-out rules, for a client that sends one request at a time.

It is the independent opinion that the replay is compared with, so it shares nothing with the library: one dictionary of
states, read top to bottom. The recorded day is much shorter than every time in the rules, so no time passes here.
"""

import policy

# Refusals in a row, at any place, after which the password of an account with a domain is sent nowhere.
MAXIMUM_REFUSALS = 2


class Budget:
    """What the client knows of each password."""

    def __init__(self) -> None:
        self._proven: set[tuple[str, str]] = set()
        self._refused: set[tuple[str, str]] = set()
        # Account and place, and the folders or targets where a proven password was refused.
        self._withheld: dict[tuple[str, str], list[str]] = {}
        self._accepted_folders: dict[tuple[str, str], set[str]] = {}
        self._in_a_row: dict[str, int] = {}

    def reason(self, account: policy.Account, place: str, path: str) -> str | None:
        """Why the password is not sent to `path`, or None."""
        key = account.name, place
        if account.domain and self._in_a_row.get(account.name, 0) >= MAXIMUM_REFUSALS:
            return "account-paused"
        if key in self._refused:
            return "budget-spent"
        if any(path.startswith(space) for space in self._withheld.get(key, [])):
            return "path-withheld"
        return None

    def accepted(self, account: policy.Account, place: str, path: str) -> None:
        key = account.name, place
        self._proven.add(key)
        self._accepted_folders.setdefault(key, set()).add(_folder(path))
        self._in_a_row[self._counted(account, place)] = 0

    def refused(self, account: policy.Account, place: str, path: str) -> None:
        """A refusal of a password that nothing has accepted here spends the place. A proven one is withheld at the path,
        and spent by the second refusal in a row."""
        key, counted = (account.name, place), self._counted(account, place)
        is_second = self._in_a_row.get(counted, 0) > 0
        self._in_a_row[counted] = self._in_a_row.get(counted, 0) + 1
        if key not in self._proven or is_second:
            self._refused.add(key)
            return
        is_known = _folder(path) in self._accepted_folders.get(key, set())
        self._withheld.setdefault(key, []).append(path if is_known else _folder(path))

    def forget(self, account: policy.Account) -> None:
        """A new password: nothing is known of it."""
        for places in (self._proven, self._refused):
            places.difference_update({key for key in places if key[0] == account.name})
        for known in (self._withheld, self._accepted_folders):
            for key in [key for key in known if key[0] == account.name]:
                del known[key]
        for name in [name for name in self._in_a_row if name == account.name or name.startswith(f"{account.name} at ")]:
            del self._in_a_row[name]

    @staticmethod
    def _counted(account: policy.Account, place: str) -> str:
        """A directory counts the refusals of all places together."""
        return account.name if account.domain else f"{account.name} at {place}"


def _folder(path: str) -> str:
    """The path to its last slash, with it; all of it without a slash."""
    path = path.split("?")[0]
    return path[: path.rfind("/") + 1] or path
