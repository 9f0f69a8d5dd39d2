/// Why a store that a group shares is refused. `group` is the name that the caller gave, `mode` the permissions that were found.
public enum GroupProblem: Error, Equatable, Sendable {
    /// The machine has no such group.
    case unknown
    /// The user of this process does not belong to the group.
    case notMember
    /// The folder of the store does not exist.
    case noFolder(group: String)
    /// The folder belongs to another group.
    case folderOfOtherGroup(group: String)
    /// The folder belongs to a user who is neither root, nor this one, nor a member.
    case folderOfStranger(user: UInt32)
    /// The folder gives something to everyone, or has the sticky bit, with which members cannot replace each other's files.
    case folderMode(UInt16, group: String)
    /// The file belongs to another group.
    case fileOfOtherGroup(group: String)
    /// The file is not for its owner and the group alone: mode 0640 or 0660.
    case fileMode(UInt16)
    /// The lock beside the store is not the group's.
    case lock(group: String)
    /// The key file is neither this user's alone nor one that the group, and no other user, may read.
    case key(mode: UInt16, group: String)
}

extension GroupProblem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .unknown: "the machine has no such group: correct the name (getent group lists them), or give its number"
        case .notMember:
            "the user of this process is no member: add it with gpasswd --add USER GROUP, and log in again, or start the service again"
        case .noFolder(let group):
            "the folder does not exist: make it with install -d -m 2770 -g \(group) FOLDER"
        case .folderOfOtherGroup(let group):
            "the folder belongs to another group: run chgrp \(group) and chmod 2770 on the folder"
        case .folderOfStranger(let user):
            "the folder belongs to the user \(user), who is no member of the group: run chown root on the folder"
        case .folderMode(let mode, let group):
            "the folder has mode \(Self.octal(mode)), which does not suit a group: run chmod 2770 on it (2750 if only its owner writes), and chgrp \(group)"
        case .fileOfOtherGroup(let group):
            "the file belongs to another group: run chgrp \(group) and chmod 660 on it"
        case .fileMode(let mode):
            "the file has mode \(Self.octal(mode)) and not 640 or 660: run chmod 660 on it, and if others could read it, renew what it holds"
        case .lock(let group):
            "the file of its lock, with .lock after the name, is not the group's: run chgrp \(group) and chmod 660 on it"
        case .key(let mode, let group):
            "the key file has mode \(Self.octal(mode)): run chgrp \(group) and chmod 640 on it, or keep a key of your own in a file with mode 600"
        }
    }

    private static func octal(_ mode: UInt16) -> String { String(mode, radix: 8) }
}
