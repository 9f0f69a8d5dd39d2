#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Files and folders by the system's own calls, for paths of ``SystemPath``; each failure has the system's reason.
package enum FileReading {
    /// What lies at a path.
    package enum Kind: Sendable {
        /// A file with bytes and an end.
        case file
        /// A folder.
        case folder
        /// A pipe, a socket or a device.
        case other
    }

    /// Opens the file at `path`, which must be a regular one: a pipe without a writer would wait for ever, a device may have no
    /// end.
    ///
    /// - Parameter orPipe: whether a pipe is taken, too; reading it does not wait, so the caller polls.
    /// - Returns: a descriptor that the caller closes.
    /// - Throws: ``FileReadError``; `ENODEV` for what is not a regular file, `EISDIR` for a folder.
    package static func openFile(_ path: String, orPipe: Bool = false) throws(FileReadError) -> Int32 {
        // Without O_NONBLOCK, opening a pipe would already wait.
        let descriptor = unsafe SystemPath.withSystemPath(path) { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileReadError(errno: errno) }
        var status = stat()
        let reason = unsafe fstat(descriptor, &status) == 0 ? refusal(of: status, orPipe) : errno
        guard reason == 0 else {
            _ = close(descriptor)
            throw FileReadError(errno: reason)
        }
        return descriptor
    }

    /// Whether the regular file at `path` can be opened; throws the reason when not.
    package static func check(_ path: String) throws(FileReadError) { _ = close(try openFile(path)) }

    private static func refusal(of status: stat, _ orPipe: Bool) -> Int32 {
        switch status.st_mode & S_IFMT {
        case S_IFREG: 0
        case S_IFIFO where orPipe: 0
        case S_IFDIR: EISDIR
        default: ENODEV
        }
    }

    /// Opens what lies at `path`, also a pipe that the user named; waits for a pipe's writer, as other tools do.
    ///
    /// - Returns: a descriptor that the caller closes.
    package static func openStream(_ path: String) throws(FileReadError) -> Int32 {
        let descriptor = unsafe SystemPath.withSystemPath(path) { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw FileReadError(errno: errno) }
        return descriptor
    }

    /// The first bytes of the regular file at `path`, no more than `count`.
    package static func start(of path: String, count: Int) throws(FileReadError) -> [UInt8] {
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        var failure: Int32 = 0
        // Filled from the front, and `filled` counts what was written.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < buffer.count {
                // In bounds: filled < count, and no more is asked for than is left.
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe read(descriptor, rest.baseAddress, rest.count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        guard failure == 0 else { throw FileReadError(errno: failure) }
        return bytes
    }

    /// What lies at `path`, at the end of all links.
    package static func kind(of path: String) throws(FileReadError) -> Kind {
        switch try status(of: path).st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    /// Whether anything lies at `path`, at the end of all links.
    package static func exists(_ path: String) -> Bool { (try? kind(of: path)) != nil }

    /// Whether anything lies at `path`, also a link that leads nowhere.
    package static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return unsafe SystemPath.withSystemPath(path) { unsafe lstat($0, &status) } == 0
    }

    /// When the file at `path` was last written, in seconds since 1970.
    package static func lastWritten(_ path: String) throws(FileReadError) -> Int64 {
        #if canImport(Darwin)
            Int64(try status(of: path).st_mtimespec.tv_sec)
        #else
            Int64(try status(of: path).st_mtim.tv_sec)
        #endif
    }

    /// Whether two paths lead to one file.
    package static func isSameFile(_ one: String, _ other: String) -> Bool {
        guard let one = try? status(of: one), let other = try? status(of: other) else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    private static func status(of path: String) throws(FileReadError) -> stat {
        var status = stat()
        let isKnown = unsafe SystemPath.withSystemPath(path) { unsafe stat($0, &status) } == 0
        guard isKnown else { throw FileReadError(errno: errno) }
        return status
    }

    /// The names in the folder at `path`, in no order, without `.` and `..`.
    package static func names(inFolder path: String) throws(FileReadError) -> [String] {
        guard let folder = unsafe SystemPath.withSystemPath(path, { unsafe opendir($0) }) else {
            throw FileReadError(errno: errno)
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                guard errno == 0 else { throw FileReadError(errno: errno) }
                return names
            }
            let start = unsafe UnsafeRawPointer(entry) + nameOffset
            // The name ends with a NUL inside the entry, which stays valid until the next call.
            let text = unsafe SystemPath.text(endingWithZero: start.assumingMemoryBound(to: CChar.self))
            if text != ".", text != ".." { names.append(text) }
        }
    }

    /// Makes the folder at `path`, and those above it that are missing.
    package static func makeFolder(_ path: String) throws(FileReadError) {
        guard !path.isEmpty else { throw FileReadError(errno: ENOENT) }
        if unsafe SystemPath.withSystemPath(path, { unsafe mkdir($0, 0o777) }) == 0 { return }
        switch errno {
        case EEXIST:
            guard try kind(of: path) == .folder else { throw FileReadError(errno: ENOTDIR) }
        case ENOENT:
            let parts = path.split(separator: "/")
            guard parts.count > 1 else { throw FileReadError(errno: ENOENT) }
            try makeFolder((path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/"))
            guard unsafe SystemPath.withSystemPath(path, { unsafe mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
                throw FileReadError(errno: errno)
            }
        default: throw FileReadError(errno: errno)
        }
    }

    /// The folder from which relative paths start; `nil` when it is gone.
    package static var currentFolder: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        // Allocated by the call, with a NUL at its end.
        return unsafe SystemPath.text(endingWithZero: path)
    }

    /// Where the name stands in an entry of a folder.
    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
}

/// Why a file or folder was not read.
package struct FileReadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operating system's reason; `ENODEV` for what is not a regular file.
    package let errno: Int32

    /// For what the operating system gave as its reason.
    package init(errno: Int32) { self.errno = errno }

    /// The reason in words.
    package var description: String { SystemReason.text(errno) }
}
