#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The file of a Unix socket.
enum SocketFile {
    /// Removes what a process that has ended has left.
    ///
    /// - Throws: ``GatewayError`` for a socket at which a program listens, and for a file of another kind.
    static func clear(_ path: String, for address: GatewayAddress) throws(GatewayError) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw .noSocket(address) }
        guard !isInUse(path) else { throw .inUse(address) }
        remove(path)
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    static func setMode(_ mode: UInt16, of path: String) throws {
        guard unsafe chmod(path, mode_t(mode)) == 0 else { throw Refusal(number: errno) }
    }

    struct Refusal: Error, CustomStringConvertible {
        let number: Int32
        var description: String { unsafe String(cString: strerror(number)) }
    }

    /// Whether a program accepts connections there. One without a place for another connection counts, too.
    private static func isInUse(_ path: String) -> Bool {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return true }
        // In bounds: the name is shorter than the field.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 || errno != ECONNREFUSED
    }
}
