internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open file that only its owner may use.
final class PrivateFile {
    private let descriptor: Int32
    /// What the file was when it was opened.
    let identity: FileIdentity
    /// Its bytes.
    var size: Int { identity.size }

    /// Opens the regular file at `path` for reading.
    ///
    /// - Parameters:
    ///   - forbidden: permissions that it may not give.
    ///   - onlyOwn: whether it must belong to the user of this process.
    init(_ path: String, forbidden: UInt16 = 0o077, onlyOwn: Bool = true) throws(CredentialStoreError.Problem) {
        let opened: Int32
        do throws(FileReadError) {
            opened = try FileReading.openFile(path)
        } catch {
            throw error.errno == ENOENT ? .missing : .system(operation: "open the file", code: error.errno)
        }
        var status = stat()
        let problem: CredentialStoreError.Problem? =
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

    /// All bytes, which are at most ``size``: a file that grows is not a sealed file.
    func read() throws(CredentialStoreError.Problem) -> [UInt8] {
        var failure: Int32 = 0
        let descriptor = descriptor
        // Filled from the front, and `filled` counts what was written.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
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
        guard failure == 0 else { throw .system(operation: "read the file", code: failure) }
        return bytes
    }

    /// Whether `path` still leads to this file, and the file has not changed.
    ///
    /// The open descriptor keeps the file's number from being given to another file.
    ///
    /// - Complexity: one call of the system.
    func isCurrent(at path: String) throws(CredentialStoreError.Problem) -> Bool {
        var status = stat()
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &status) }) == 0 else {
            throw errno == ENOENT ? .missing : .system(operation: "look at the file", code: errno)
        }
        return FileIdentity(status) == identity
    }

    deinit { _ = close(descriptor) }
}

/// What tells one state of a file from another.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64
    let size: Int
    private let written: Int64
    private let changed: Int64

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
