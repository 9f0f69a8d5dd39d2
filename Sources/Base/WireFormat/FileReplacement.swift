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
        // Where others may write too, nobody foresees the name, and nothing that lies there is taken.
        let folder = place.utf8.lastIndex(of: UInt8(ascii: "/")).map { place[...$0] } ?? ""
        let temporary = "\(folder).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).new"
        // Only the owner may write what decides about credentials.
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileWriteError(errno: errno) }
        var failure = unsafe bytes.withUnsafeBytes { unsafe writeAll($0, to: descriptor) }
        // The bytes must have arrived before the name points at them.
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        close(descriptor)
        if failure == 0, unsafe rename(temporary, place) != 0 { failure = errno }
        guard failure == 0 else {
            unsafe unlink(temporary)
            throw FileWriteError(errno: failure)
        }
    }

    /// Where the bytes go: `path`, or the file that it is a link to.
    private static func place(of path: String) throws(FileWriteError) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            let reason = errno
            // Nothing is there, or a link to nothing, which must not become a file unnoticed.
            guard reason == ENOENT, unsafe lstat(path, &status) != 0 else { throw FileWriteError(errno: reason) }
            return path
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileWriteError(errno: EISDIR)
        default: throw FileWriteError(errno: ENODEV)
        }
        guard let real = unsafe realpath(path, nil) else { throw FileWriteError(errno: errno) }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
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
