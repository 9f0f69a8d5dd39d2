internal import NIOCore
internal import NIOPosix

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

    /// Sets the permissions of the socket at `path` + ``ending``, and renames it to `path`. A socket that lies there goes.
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
    static func clear(_ path: String, for address: GatewayAddress, on group: any EventLoopGroup) async throws {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw GatewayError.noSocket(address) }
        do {
            try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get().close()
            throw GatewayError.inUse(address)
        } catch let error as IOError {
            switch error.errnoCode {
            case ECONNREFUSED, ENOENT: _ = unsafe unlink(path)
            case EACCES: throw GatewayError.noAccess(address)
            // It listens, and has no place for another connection.
            default: throw GatewayError.inUse(address)
            }
        }
    }

    struct Refusal: Error, CustomStringConvertible {
        let number: Int32
        var description: String { unsafe String(cString: strerror(number)) }
    }
}
