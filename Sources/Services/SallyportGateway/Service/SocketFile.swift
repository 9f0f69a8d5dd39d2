#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The file of a Unix socket.
struct SocketFile: Sendable {
    /// What a socket is called until it listens and has its permissions.
    static let ending = ".new"

    private let path: String
    private let (device, number): (dev_t, ino_t)

    /// Gives the socket at `path` + ``ending`` its permissions and its name, which it takes from one that nobody listens at.
    init(naming path: String, mode: UInt16) throws {
        let early = path + Self.ending
        var found = stat()
        guard unsafe chmod(early, mode_t(mode)) == 0, unsafe lstat(early, &found) == 0,
            unsafe rename(early, path) == 0
        else { throw Refusal(number: errno) }
        self.path = path
        (device, number) = (found.st_dev, found.st_ino)
    }

    /// Removes the file, unless another process has put its own there.
    func remove() {
        var found = stat()
        guard unsafe lstat(path, &found) == 0, found.st_dev == device, found.st_ino == number else { return }
        _ = unsafe unlink(path)
    }

    /// Removes what a process that has ended has left.
    ///
    /// - Throws: ``GatewayError`` for a socket at which a program listens, and for a file of another kind.
    static func clear(_ path: String, for address: GatewayAddress) throws(GatewayError) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw .noSocket(address) }
        switch connectionError(to: path) {
        case ECONNREFUSED?, ENOENT?: _ = unsafe unlink(path)
        case EACCES?: throw .noAccess(address)
        default: throw .inUse(address)
        }
    }

    struct Refusal: Error, CustomStringConvertible {
        let number: Int32
        var description: String { unsafe String(cString: strerror(number)) }
    }

    /// Why no program accepts a connection there; `nil` if one does.
    private static func connectionError(to path: String) -> Int32? {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        // In bounds: the name is shorter than the field.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? nil : errno
    }
}
