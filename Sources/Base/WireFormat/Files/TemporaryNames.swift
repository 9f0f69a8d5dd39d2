#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The temporary files of one file that is replaced: `.NAME.sallyport-RANDOM.new` beside it.
///
/// A writer holds a lock on its temporary file. One without a lock is what a writer that was killed left, and the next writer of
/// the same file removes it.
struct TemporaryNames {
    /// The folder with its slash; empty for the current one.
    private let folder: String
    /// What stands before the random part.
    private let prefix: String

    private static let mark = ".sallyport-"
    private static let suffix = ".new"
    /// As many digits as the largest random number has in base 36.
    private static let digits = 13
    /// Bytes of the file's own name in a temporary one: a name has 255 at most, and the rest needs 29.
    private static let mostNameBytes = 200
    /// How often another name is tried when the next writer took ours for one that was left.
    private static let mostAttempts = 8

    init(of path: String) {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        folder = String(path[..<name.startIndex])
        let bytes = SystemPath.bytes(String(name)).prefix(Self.mostNameBytes)
        prefix = "." + SystemPath.text(Array(bytes)) + Self.mark
    }

    /// Makes a temporary file with `permissions` and locks it.
    ///
    /// - Returns: a descriptor that the caller closes, and the path.
    func make(permissions: UInt16) throws(FileWriteError) -> (descriptor: Int32, path: String) {
        for _ in 0..<Self.mostAttempts {
            // The random part keeps another user of the folder from preparing the name, and O_EXCL takes nothing that lies there.
            let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let zeros = String(repeating: "0", count: Self.digits - random.count)
            let path = folder + prefix + zeros + random + Self.suffix
            let descriptor = unsafe SystemPath.withSystemPath(path) {
                unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
            }
            guard descriptor >= 0 else { throw FileWriteError(errno: errno) }
            var status = stat()
            // Between the two calls another writer may have locked and removed it.
            // A file system without locks has none that could.
            let isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            if isOurs, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (descriptor, path) }
            close(descriptor)
        }
        throw FileWriteError(errno: EBUSY)
    }

    /// Writes the names in the folder to disk; returns 0, or `EIO` for each failure, because another reason would tell the caller
    /// that the file was not replaced.
    func syncFolder() -> Int32 {
        unsafe SystemPath.withSystemPath(folder.isEmpty ? "." : folder) { path in
            let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return EIO }
            defer { close(descriptor) }
            // EINVAL: a file system that has no such operation writes names in order.
            return DurableWriting.sync(descriptor) == 0 || errno == EINVAL ? 0 : EIO
        }
    }

    /// Removes what killed writers left, where it is this user's own.
    func removeLeftOver() {
        guard let names = try? FileReading.names(inFolder: folder.isEmpty ? "." : folder) else { return }
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(Self.suffix) {
            let random = name.dropFirst(prefix.count).dropLast(Self.suffix.count)
            guard random.utf8.count == Self.digits, UInt64(random, radix: 36) != nil else { continue }
            unsafe SystemPath.withSystemPath(folder + name) { path in
                let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                guard descriptor >= 0 else { return }
                var status = stat()
                if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                    status.st_uid == geteuid(),
                    flock(descriptor, LOCK_EX | LOCK_NB) == 0
                {
                    unsafe unlink(path)
                }
                close(descriptor)
            }
        }
    }
}
