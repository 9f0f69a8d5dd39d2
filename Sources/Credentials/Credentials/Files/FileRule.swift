internal import WireFormat

/// Which files are taken: the permissions that a file must not give, for each owner that a file may have.
package struct FileRule: Sendable {
    /// For a file of the user of this process.
    let own: UInt16
    /// For a file of root's, if this process is not root's; `nil` if it is refused.
    let ofRoot: UInt16?
    /// For a file of another user; `nil` if it is refused.
    let ofOthers: UInt16?

    /// A file with a secret: only its owner may use it.
    ///
    /// Kubernetes (a volume with `fsGroup`) and systemd (an access list, which shows as permission of the group) give a service files of root's
    /// that the group may read. The service cannot change that, and root may read every file anyway.
    package static let secret = FileRule(own: 0o077, ofRoot: 0o027, ofOthers: nil)

    /// A credential of systemd, whose user reads it by an access list also if it is root.
    package static let systemdCredential = FileRule(own: 0o027, ofRoot: 0o027, ofOthers: nil)

    /// A file that holds no secret, and that not every user of the machine may write.
    ///
    /// - Parameter onlyOwn: whether it belongs to the user of this process.
    package static func notWritableByAll(onlyOwn: Bool) -> FileRule {
        FileRule(own: 0o002, ofRoot: onlyOwn ? nil : 0o002, ofOthers: onlyOwn ? nil : 0o002)
    }

    /// Why a file is refused; `nil` if it is taken.
    ///
    /// - Parameters:
    ///   - mode: its permissions.
    ///   - owner: the user that it belongs to.
    ///   - user: the user of the process.
    package func problem(mode: UInt16, owner: UInt32, user: UInt32) -> PrivateFileProblem? {
        let isRoots = owner == 0 && owner != user
        guard let forbidden = owner == user ? own : isRoots ? ofRoot : ofOthers else { return .notOwned }
        guard mode & forbidden != 0 else { return nil }
        return isRoots ? .othersMayUseRoots(mode: mode) : .othersMayUse(mode: mode)
    }
}

/// Why a private file was not opened or read.
package enum PrivateFileProblem: Error, Equatable, Sendable {
    /// No file is at the path.
    case missing
    /// The group or others may use the file; `mode` is its permissions.
    case othersMayUse(mode: UInt16)
    /// The file belongs to root, and its group may write it, or others may use it; `mode` is its permissions.
    case othersMayUseRoots(mode: UInt16)
    /// The file belongs to another user.
    case notOwned
    /// The system refused an operation; `code` is its error number.
    case system(operation: String, code: Int32)
}

extension PrivateFileProblem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    package var description: String {
        switch self {
        case .missing: "the file does not exist: check the path"
        case .othersMayUse(let mode):
            "other users may use the file (mode \(String(mode, radix: 8))): run chmod 600 on it"
        case .othersMayUseRoots(let mode):
            "the file belongs to root, and more than its group may read it (mode \(String(mode, radix: 8))): let root "
                + "set mode 0440, and the group of this process"
        case .notOwned: "the file belongs to another user: run as that user, or change the owner"
        case .system(let operation, let code): "cannot \(operation) (\(SystemReason.text(code))): check path and mode"
        }
    }
}
