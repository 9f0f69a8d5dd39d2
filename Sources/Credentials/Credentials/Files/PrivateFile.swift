internal import Secrets
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open file that only its owner may use.
package final class PrivateFile {
    private let descriptor: Int32
    /// What the file was when it was opened.
    package let identity: FileIdentity
    /// Its bytes.
    package var size: Int { identity.size }

    /// Opens the regular file at `path` for reading.
    ///
    /// - Parameters:
    ///   - forbidden: permissions that it may not give.
    ///   - onlyOwn: whether it must belong to the user of this process.
    package init(_ path: String, forbidden: UInt16 = 0o077, onlyOwn: Bool = true) throws(PrivateFileProblem) {
        let opened: Int32
        do throws(FileReadError) {
            opened = try FileReading.openFile(path)
        } catch {
            throw error.errno == ENOENT ? .missing : .system(operation: "open the file", code: error.errno)
        }
        var status = stat()
        let problem: PrivateFileProblem? =
            if unsafe fstat(opened, &status) != 0 {
                .system(operation: "look at the file", code: errno)
            } else if UInt16(truncatingIfNeeded: status.st_mode) & forbidden != 0 {
                .othersMayUse(mode: UInt16(truncatingIfNeeded: status.st_mode) & 0o7777)
            } else if onlyOwn, status.st_uid != geteuid() {
                .notOwned
            } else {
                nil
            }
        if let problem {
            _ = close(opened)
            throw problem
        }
        descriptor = opened
        identity = FileIdentity(status)
    }

    /// All bytes, at most ``size``: what is appended later is not read. The caller erases them if they are secret.
    package func read() throws(PrivateFileProblem) -> [UInt8] {
        var failure: Int32 = 0
        let descriptor = descriptor
        // Filled from the front, and `filled` counts what was written.
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            while filled < buffer.count {
                // In bounds: filled < count, and no more is asked for than is left.
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        guard failure == 0 else {
            erase(&bytes)
            throw .system(operation: "read the file", code: failure)
        }
        return bytes
    }

    /// Whether `path` still leads to this file, and the file has not changed.
    ///
    /// The open descriptor keeps the file's number from being given to another file.
    ///
    /// - Complexity: one call of the system.
    package func isCurrent(at path: String) throws(PrivateFileProblem) -> Bool {
        var status = stat()
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &status) }) == 0 else {
            throw errno == ENOENT ? .missing : .system(operation: "look at the file", code: errno)
        }
        return FileIdentity(status) == identity
    }

    deinit { _ = close(descriptor) }
}

/// Why a private file was not opened or read.
package enum PrivateFileProblem: Error, Equatable, Sendable {
    /// No file is at the path.
    case missing
    /// The group or others may use the file; `mode` is its permissions.
    case othersMayUse(mode: UInt16)
    /// The file belongs to another user.
    case notOwned
    /// The system refused an operation; `code` is its error number.
    case system(operation: String, code: Int32)
}

/// What tells one state of a file from another.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64
    package let size: Int
    private let written: Int64
    private let changed: Int64

    /// The state of the file at a path; `nil` if it cannot be looked at.
    package init?(at path: String) {
        var status = stat()
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            written = Self.nanoseconds(status.st_mtimespec)
            changed = Self.nanoseconds(status.st_ctimespec)
        #else
            written = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        #endif
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
