internal import Secrets
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open file with a secret, which was judged after it was opened: a path may name another file a moment later. A symbolic link is followed,
/// and what it leads to is judged.
package final class PrivateFile {
    /// How long a pipe may take from the first call to its end.
    package static let pipeTime = Duration.seconds(30)

    private let descriptor: Int32
    private let status: stat
    /// What the file was when it was opened.
    package let identity: FileStamp
    /// Its bytes; 0 for a pipe.
    package var size: Int { isPipe ? 0 : identity.size }
    /// Its permissions, the twelve bits of the system.
    package var mode: UInt16 { UInt16(truncatingIfNeeded: status.st_mode) & 0o7777 }
    /// The number of the group that it belongs to.
    package var group: UInt32 { status.st_gid }
    /// Whether it is a pipe, which can be read once.
    package var isPipe: Bool { status.st_mode & S_IFMT == S_IFIFO }

    /// Opens the regular file at `path` for reading.
    ///
    /// - Parameters:
    ///   - rule: which files are taken; `nil` for all of them.
    ///   - orPipe: whether a pipe is taken, too, such as the shell makes for `<(…)`.
    package init(_ path: String, _ rule: FileRule? = .secret, orPipe: Bool = false) throws(PrivateFileProblem) {
        let opened: Int32
        do throws(FileReadError) {
            opened = try FileReading.openFile(path, orPipe: orPipe)
        } catch {
            throw error.errno == ENOENT ? .missing : .system(operation: "open the file", code: error.errno)
        }
        var status = stat()
        let problem: PrivateFileProblem? =
            if unsafe fstat(opened, &status) != 0 {
                .system(operation: "look at the file", code: errno)
            } else {
                rule.flatMap { Self.problem(of: status, under: $0) }
            }
        if let problem {
            _ = close(opened)
            throw problem
        }
        descriptor = opened
        self.status = status
        identity = FileStamp(status)
    }

    /// Reads the file or pipe at `path`; `nil` if it has more than `limit` bytes. The caller erases what it gets.
    ///
    /// - Complexity: waits for the file system, and up to ``pipeTime`` for the writer of a pipe.
    package static func read(
        _ path: String,
        _ rule: FileRule? = .secret,
        atMost limit: Int
    ) throws(PrivateFileProblem) -> [UInt8]? {
        try PrivateFile(path, rule, orPipe: true).read(atMost: limit)
    }

    /// Why `rule` refuses the file; `nil` if it does not.
    package func problem(under rule: FileRule) -> PrivateFileProblem? { Self.problem(of: status, under: rule) }

    private static func problem(of status: stat, under rule: FileRule) -> PrivateFileProblem? {
        rule.problem(
            mode: UInt16(truncatingIfNeeded: status.st_mode) & 0o7777,
            owner: status.st_uid,
            user: geteuid()
        )
    }

    /// All bytes; `nil` if there are more than `limit`. The caller erases them if they are secret.
    ///
    /// - Parameter time: how long a pipe may take to its end.
    package func read(
        atMost limit: Int,
        within time: Duration = PrivateFile.pipeTime
    ) throws(PrivateFileProblem) -> [UInt8]? {
        if isPipe { return try readPipe(atMost: limit, within: time) }
        return size <= limit ? try read() : nil
    }

    private func readPipe(atMost limit: Int, within time: Duration) throws(PrivateFileProblem) -> [UInt8]? {
        let end = ContinuousClock.now + time
        var failure: Int32 = 0
        let descriptor = descriptor
        // Filled from the front, and `filled` counts what was written.
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, filled in
            while filled < buffer.count {
                // A pipe without a writer is not at its end before one has come and gone, which only this call tells.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let left = max(0, (end - .now) / .milliseconds(1))
                let ready = unsafe poll(&wanted, 1, Int32(left.rounded(.up)))
                if ready < 0, errno == EINTR { continue }
                guard ready > 0 else {
                    failure = ready == 0 ? ETIMEDOUT : errno
                    return
                }
                // In bounds: filled < count, and no more is asked for than is left.
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe SystemRead.read(descriptor, rest.baseAddress, rest.count)
                // EAGAIN: another reader of the pipe was faster.
                if got < 0, errno == EINTR || errno == EAGAIN { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        guard failure == 0, bytes.count <= limit else {
            erase(&bytes)
            guard failure != 0 else { return nil }
            let end = failure == ETIMEDOUT ? " to its end within \(time.components.seconds) s" : ""
            throw .system(operation: "read the pipe\(end)", code: failure)
        }
        return bytes
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
        return FileStamp(status) == identity
    }

    deinit { _ = close(descriptor) }
}

/// The system's call, which a method of ``PrivateFile`` hides.
private enum SystemRead {
    static func read(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(descriptor, start, count)
        #elseif canImport(Musl)
            unsafe Musl.read(descriptor, start, count)
        #else
            unsafe Glibc.read(descriptor, start, count)
        #endif
    }
}

/// What tells one state of a file from another.
package struct FileStamp: Equatable, Sendable {
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
