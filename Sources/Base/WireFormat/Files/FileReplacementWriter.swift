#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Replaces a file with bytes that come in parts. The file has its old bytes until ``finish(isDurable:)``.
///
/// Dropped before that, it leaves the file as it was, and removes its temporary file. A temporary file that a killed process left
/// is removed by the next writer of the same file.
package struct FileReplacementWriter: ~Copyable {
    private let place: String
    private let names: TemporaryNames
    private let descriptor: Int32
    private var isReplaced = false
    /// The path of the file that is written, for those who must remove it when a signal ends the process.
    package let temporary: String

    /// Makes the temporary file.
    ///
    /// - Parameters:
    ///   - path: the file, as ``FileReplacement/write(_:to:permissions:isDurable:)`` takes it.
    ///   - permissions: those of the new file, less what the process masks.
    ///   - keepsPermissions: whether a file that exists keeps the permissions that it has.
    /// - Throws: ``FileWriteError``.
    package init(
        replacing path: String,
        permissions: UInt16,
        keepsPermissions: Bool = false
    ) throws(FileWriteError) {
        let found = try ReplacedFile(at: path)
        let names = TemporaryNames(of: found.place)
        names.removeLeftOver()
        let mode = keepsPermissions ? found.permissions ?? permissions : permissions
        let made = try names.make(permissions: mode)
        // At once, because a value without copies is made whole or not at all.
        place = found.place
        self.names = names
        descriptor = made.descriptor
        temporary = made.path
    }

    /// Gives the new file to a group, with exactly these permissions.
    ///
    /// - Throws: ``FileWriteError``.
    mutating func share(withGroup group: UInt32, permissions: UInt16) throws(FileWriteError) {
        // The owner of the largest number is the one that it has.
        guard fchown(descriptor, uid_t.max, gid_t(group)) == 0, fchmod(descriptor, mode_t(permissions)) == 0 else {
            throw FileWriteError(errno: errno)
        }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``FileWriteError``.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileWriteError) {
        let failure = unsafe DescriptorWriting.writeAll(bytes, to: descriptor)
        guard failure == 0 else { throw FileWriteError(errno: failure) }
    }

    /// Puts the new file in the place of the old one.
    ///
    /// - Parameter isDurable: whether to wait until the new file survives a loss of power, and not only a crash of this process.
    /// - Throws: ``FileWriteError``.
    package consuming func finish(isDurable: Bool = false) throws(FileWriteError) {
        // The bytes must be on disk before the rename, because a crash may keep only the rename.
        guard DurableWriting.sync(descriptor) == 0 else { throw FileWriteError(errno: errno) }
        let isRenamed = unsafe SystemPath.withSystemPath(temporary) { temporary in
            unsafe SystemPath.withSystemPath(place) { place in unsafe rename(temporary, place) }
        }
        guard isRenamed == 0 else { throw FileWriteError(errno: errno) }
        isReplaced = true
        let failure = isDurable ? names.syncFolder() : 0
        guard failure == 0 else { throw FileWriteError(errno: failure) }
    }

    deinit {
        if !isReplaced { _ = unsafe SystemPath.withSystemPath(temporary) { unsafe unlink($0) } }
        // Last, because the lock tells the next writer that the file is in use.
        close(descriptor)
    }
}

/// The file that is replaced.
private struct ReplacedFile {
    /// The path to write: that of the arguments, or the target of a link.
    let place: String
    /// Those of the file; `nil` if it does not exist.
    let permissions: UInt16?

    init(at path: String) throws(FileWriteError) {
        var status = stat()
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &status) }) == 0 else {
            let reason = errno
            // The path does not exist. A dangling link is an error, because writing would create its target unnoticed.
            guard reason == ENOENT, unsafe SystemPath.withSystemPath(path, { unsafe lstat($0, &status) }) != 0 else {
                throw FileWriteError(errno: reason)
            }
            (place, permissions) = (path, nil)
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileWriteError(errno: EISDIR)
        default: throw FileWriteError(errno: ENODEV)
        }
        guard let real = unsafe SystemPath.withSystemPath(path, { unsafe realpath($0, nil) }) else {
            throw FileWriteError(errno: errno)
        }
        defer { unsafe free(real) }
        // Allocated by the call, with a NUL at its end.
        place = unsafe SystemPath.text(endingWithZero: real)
        permissions = UInt16(status.st_mode & 0o777)
    }
}
