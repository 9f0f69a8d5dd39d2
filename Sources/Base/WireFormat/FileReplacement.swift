#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Replaces files atomically: a reader sees the old bytes or the new bytes, never a mixture.
package enum FileReplacement {
    /// Writes `bytes` to the file at `path`. An existing regular file is replaced; a symbolic link is followed.
    ///
    /// Devices, pipes and folders are not replaced.
    ///
    /// - Parameters:
    ///   - permissions: those of the new file, less what the process masks.
    ///   - isDurable: whether to wait until the new file survives a loss of power, and not only a crash of this process.
    /// - Throws: ``FileWriteError``.
    package static func write(
        _ bytes: Span<UInt8>,
        to path: String,
        permissions: UInt16 = 0o644,
        isDurable: Bool = false
    ) throws(FileWriteError) {
        let place = try place(of: path)
        let names = TemporaryNames(of: place)
        names.removeLeftOver()
        let (descriptor, temporary) = try names.make(permissions: permissions)
        var failure = unsafe bytes.withUnsafeBytes { unsafe writeAll($0, to: descriptor) }
        // The bytes must be on disk before the rename, because a crash may keep only the rename.
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        if failure == 0 {
            let isRenamed = unsafe SystemPath.withSystemPath(temporary) { temporary in
                unsafe SystemPath.withSystemPath(place) { place in unsafe rename(temporary, place) }
            }
            if isRenamed != 0 { failure = errno }
        }
        let isReplaced = failure == 0
        if isReplaced, isDurable { failure = names.syncFolder() }
        if !isReplaced { _ = unsafe SystemPath.withSystemPath(temporary) { unsafe unlink($0) } }
        // Last, because the lock tells the next writer that the file is in use.
        close(descriptor)
        guard failure == 0 else { throw FileWriteError(errno: failure) }
    }

    /// The path to write: `path`, or the target of a link.
    private static func place(of path: String) throws(FileWriteError) -> String {
        var status = stat()
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &status) }) == 0 else {
            let reason = errno
            // The path does not exist. A dangling link is an error, because writing would create its target unnoticed.
            guard reason == ENOENT, unsafe SystemPath.withSystemPath(path, { unsafe lstat($0, &status) }) != 0 else {
                throw FileWriteError(errno: reason)
            }
            return path
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
        return unsafe SystemPath.text(endingWithZero: real)
    }
}

/// Writes all of `bytes`; returns 0 or the `errno`.
// Outside the enumeration, whose own `write` would hide the system's.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
        // In bounds: `written` is less than the count.
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
            written += count
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}

/// Why a file was not written.
package struct FileWriteError: Error, Equatable, Sendable {
    /// The operating system's reason; `ENODEV` if the path is not a regular file.
    package let errno: Int32

    /// Makes an error from an `errno`.
    package init(errno: Int32) { self.errno = errno }
}
