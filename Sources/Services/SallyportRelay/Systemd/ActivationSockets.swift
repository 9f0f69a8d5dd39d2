internal import Hostnames
internal import NIOCore
internal import SallyportNIO
internal import ServiceSockets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The sockets that systemd hands to a service that it starts at the first connection (sd_listen_fds).
///
/// `LISTEN_PID` is the process that they are for, and `LISTEN_FDS` their number, from descriptor 3 on.
public enum ActivationSockets {
    /// The first descriptor.
    static let first: Int32 = 3
    /// The most sockets.
    static let most = 16

    /// Adopts the sockets that systemd opened for this process; none if it was not started so. Children do not inherit them.
    ///
    /// - Parameter environment: looks a variable up.
    /// - Throws: ``ActivationError`` if one is not a socket that listens on an address of IPv4 or IPv6.
    public static func adopt(_ environment: (String) -> String?) throws(ActivationError) -> [Int32] {
        try adopt(environment, process: getpid())
    }

    static func adopt(
        _ environment: (String) -> String?,
        process: Int32
    ) throws(ActivationError) -> [Int32] {
        guard let id = environment("LISTEN_PID"), let text = environment("LISTEN_FDS") else { return [] }
        guard let number = Int32(id) else { throw .variable("LISTEN_PID") }
        // They are for the parent of this process, or for an older one.
        guard number == process else { return [] }
        guard let count = Int32(text), (0...Int32(most)).contains(count) else { throw .variable("LISTEN_FDS") }
        let sockets = (0..<count).map { first + $0 }
        for socket in sockets {
            _ = try address(of: socket)
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        }
        return sockets
    }

    /// The address on which a socket listens.
    static func address(of socket: Int32) throws(ActivationError) -> ListenAddress {
        guard option(socket, SO_TYPE) == streamType, option(socket, SO_ACCEPTCONN) == 1 else {
            throw .notListening(socket)
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // The system writes an address of the family that it names, and no more than the storage holds.
        let address = unsafe withUnsafeMutablePointer(to: &storage) { pointer -> SocketAddress? in
            let status = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket, $0, &length)
            }
            guard status == 0 else { return nil }
            switch unsafe Int32(pointer.pointee.ss_family) {
            case AF_INET:
                return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    unsafe SocketAddress($0.pointee)
                }
            case AF_INET6:
                return unsafe pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    unsafe SocketAddress($0.pointee)
                }
            default: return nil
            }
        }
        guard let address, let host = Hostname(address), let port = address.port else { throw .notInternet(socket) }
        return ListenAddress(host: host, port: UInt16(truncatingIfNeeded: port))
    }

    private static func option(_ socket: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(socket, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

/// Why the sockets of systemd cannot be used.
public enum ActivationError: Error, Equatable, Sendable {
    /// The variable has another form.
    case variable(String)
    /// The descriptor is not a stream socket that listens.
    case notListening(Int32)
    /// The socket has no address of IPv4 or IPv6.
    case notInternet(Int32)
}

extension ActivationError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .variable(let name):
            "\(name): it is not the number that systemd writes (LISTEN_FDS: \(ActivationSockets.most) at most): unset it"
        case .notListening(let socket):
            "descriptor \(socket): it is not a stream socket that listens: write ListenStream= in the socket unit, and Accept=no"
        case .notInternet(let socket):
            "descriptor \(socket): it listens on no address of IPv4 or IPv6: write ListenStream=127.0.0.1:3128 in the socket unit"
        }
    }
}

#if canImport(Glibc)
    // An enumeration in glibc, a number everywhere else.
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    private let streamType = SOCK_STREAM
#endif
