internal import NIOCore
internal import NIOPosix

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What this machine has none of left, so that a connection could not be made. The other end is not at fault.
package enum LocalShortage: Error, Hashable, Sendable, CaseIterable {
    /// The process has as many descriptors as it may (`EMFILE`).
    case descriptors
    /// The system has as many files as it can (`ENFILE`).
    case files
    /// `ENOBUFS` or `ENOMEM`.
    case memory
    /// All ports for connections to one address are in use, or this machine has no address that leads there (`EADDRNOTAVAIL`).
    case ports

    package init?(_ errno: Int32) {
        switch errno {
        case EMFILE: self = .descriptors
        case ENFILE: self = .files
        case ENOBUFS, ENOMEM: self = .memory
        case EADDRNOTAVAIL: self = .ports
        default: return nil
        }
    }

    /// The shortage for which a connection could not be made; `nil` if the other end, the way there or its name is the reason.
    package init?(_ error: any Error) {
        switch error {
        case let error as IOError: self.init(error.errnoCode)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            // The system's resolver does not say that it had no descriptor.
            self.init(resolver: error.dnsAError ?? error.dnsAAAAError)
        case let error as NIOConnectionError:
            let all = error.connectionErrors.map { LocalShortage($0.error) }
            // An address that answered shows that the name is known and the machine has what it needs.
            guard let first = all.first, let first, !all.contains(nil) else { return nil }
            self = all.compactMap(\.self).first { $0 != .ports } ?? first
        default: return nil
        }
    }

    private init?(resolver error: (any Error)?) {
        guard error != nil else { return nil }
        let probe = dup(0)
        guard probe < 0 else {
            close(probe)
            return nil
        }
        self.init(errno)
    }
}

extension LocalShortage: CustomStringConvertible {
    /// The problem and the remedy.
    package var description: String {
        switch self {
        case .descriptors:
            "this process has no free descriptors: raise its limit (ulimit -n, or LimitNOFILE= of systemd), or let fewer "
                + "clients connect"
        case .files:
            "this machine has no free descriptors: raise fs.file-max, or end programs that have many files open"
        case .memory: "this machine has no memory for connections: end programs, or let fewer clients connect"
        case .ports:
            "this machine has no free port or no address for the connection: close connections, raise "
                + "net.ipv4.ip_local_port_range, or correct the address"
        }
    }
}
