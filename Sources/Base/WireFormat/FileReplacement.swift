#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Writes files in one step: whoever reads sees the old bytes or the new ones, never a part of them.
package enum FileReplacement {
    /// Writes `bytes` to the file at `path`, which is replaced if it exists; what a link points to is, not the link.
    ///
    /// Only a regular file is replaced: a device or a pipe is no file that somebody would find replaced and be glad.
    ///
    /// - Throws: ``FileWriteError``.
    package static func write(_ bytes: Span<UInt8>, to path: String) throws(FileWriteError) {
        let place = try place(of: path)
        let names = TemporaryNames(of: place)
        names.removeLeftOver()
        let (descriptor, temporary) = try names.make()
        var failure = unsafe bytes.withUnsafeBytes { unsafe writeAll($0, to: descriptor) }
        // The bytes must have arrived before the name points at them.
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        if failure == 0 {
            let isRenamed = unsafe SystemPath.withSystemPath(temporary) { temporary in
                unsafe SystemPath.withSystemPath(place) { place in unsafe rename(temporary, place) }
            }
            if isRenamed != 0 { failure = errno }
        }
        if failure != 0 { _ = unsafe SystemPath.withSystemPath(temporary) { unsafe unlink($0) } }
        // Not before: until then, the lock on it tells the next writer that it is in use.
        close(descriptor)
        guard failure == 0 else { throw FileWriteError(errno: failure) }
    }

    /// Where the bytes go: `path`, or the file that it is a link to.
    private static func place(of path: String) throws(FileWriteError) -> String {
        var status = stat()
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &status) }) == 0 else {
            let reason = errno
            // Nothing is there, or a link to nothing, which must not become a file unnoticed.
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

/// The operating system's reason for not taking all of `bytes`, or 0.
// Not in the enumeration, whose own `write` would hide the system's.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
        // In bounds: what has not been written yet, as long as it is.
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
    /// The operating system's reason; `ENODEV` for what is no regular file.
    package let errno: Int32

    /// For what the operating system gave as its reason.
    package init(errno: Int32) { self.errno = errno }
}
