internal import Credentials
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A group of the system whose members share a sealed file: the services of one machine, or a team of administrators.
///
/// A file that belongs to the group comes from a member or from root, because the system lets no other user give a file to the group, and
/// because the folder is writable to members only. So the owner of the file is not looked at: it is the member who wrote last. The owner
/// of the folder is, because he keeps his power over it after he has left the group.
public struct StoreGroup: Hashable, Sendable {
    /// The name, or the number, that the caller gave.
    public let name: String
    let identifier: gid_t

    /// Looks the group up, in the system's files or at its name services, for which it may wait.
    ///
    /// - Parameter name: the group's name, or its number in decimal digits, which needs no entry: containers have such groups.
    /// - Throws: ``GroupProblem/unknown``.
    public init(_ name: String) throws(CredentialStoreError) {
        if let number = gid_t(name), "\(number)" == name, number != .max {
            identifier = number
        } else {
            guard !name.utf8.contains(0), let found = SystemGroup(named: name) else {
                throw CredentialStoreError(place: "group \(VisibleText.name(name))", problem: .group(.unknown))
            }
            identifier = found.identifier
        }
        self.name = name
    }

    /// Refuses a caller outside the group. Root passes, because the system lets root open the file in any case.
    func checkMembership() throws(CredentialStoreError.Problem) {
        guard geteuid() != 0, getegid() != identifier, !Self.groupsOfProcess.contains(identifier) else { return }
        throw .group(.notMember)
    }

    /// Judges the folder of the file at `path`.
    ///
    /// - Returns: the permissions of a new file: members may write it where they may write to its folder.
    func checkFolder(of path: String) throws(CredentialStoreError.Problem) -> UInt16 {
        let bytes = SystemPath.bytes(path)
        let end = bytes.lastIndex(of: UInt8(ascii: "/"))
        let folder = end.map { $0 == 0 ? "/" : SystemPath.text(Array(bytes[..<$0])) } ?? "."
        var status = stat()
        guard unsafe SystemPath.withSystemPath(folder, { unsafe stat($0, &status) }) == 0 else {
            throw errno == ENOENT
                ? .group(.noFolder(group: name)) : .system(operation: "look at the folder", code: errno)
        }
        let mode = UInt16(truncatingIfNeeded: status.st_mode) & 0o7777
        guard status.st_gid == identifier else { throw .group(.folderOfOtherGroup(group: name)) }
        let isWritable = mode & 0o020 != 0
        guard mode & 0o007 == 0, mode & 0o050 == 0o050, !(isWritable && mode & 0o1000 != 0) else {
            throw .group(.folderMode(mode, group: name))
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() || isMember(status.st_uid) else {
            throw .group(.folderOfStranger(user: status.st_uid))
        }
        return isWritable ? 0o660 : 0o640
    }

    /// Judges the file itself.
    func check(_ file: PrivateFile) throws(CredentialStoreError.Problem) {
        guard file.group == identifier else { throw .group(.fileOfOtherGroup(group: name)) }
        guard [0o640, 0o660].contains(file.mode) else { throw .group(.fileMode(file.mode)) }
    }

    /// Judges a key file: one of this user's own, or one that the group may read and not write.
    func checkKey(_ file: PrivateFile) throws(CredentialStoreError.Problem) {
        guard file.problem(under: .secret) != nil else { return }
        guard file.group == identifier, file.mode & 0o037 == 0 else {
            throw .group(.key(mode: file.mode, group: name))
        }
    }

    /// Gives an open file to the group.
    ///
    /// - Returns: 0 or the system's error number.
    func own(_ descriptor: Int32, permissions: UInt16) -> Int32 {
        // The number that leaves the owner as it is.
        guard fchown(descriptor, uid_t.max, identifier) == 0 else { return errno }
        return fchmod(descriptor, mode_t(permissions)) == 0 ? 0 : errno
    }

    // MARK: - Members

    private func isMember(_ user: uid_t) -> Bool {
        guard let account = SystemUser(user) else { return false }
        if account.group == identifier { return true }
        return SystemGroup(numbered: identifier)?.members.contains(account.name) ?? false
    }

    private static var groupsOfProcess: [gid_t] {
        let count = getgroups(0, nil)
        guard count > 0 else { return [] }
        var groups = [gid_t](repeating: 0, count: Int(count))
        let filled = unsafe getgroups(count, &groups)
        return Array(groups.prefix(max(0, Int(filled))))
    }
}
