internal import NIOCore
internal import NIOPosix

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension SOCKSError.Reply {
    /// What a client of SOCKS hears of a connection to its server that could not be made.
    init(connecting error: any Error) {
        switch error {
        case let error as NIOConnectionError:
            // Of several addresses the last one counts; without any, the name could not be resolved.
            self = error.connectionErrors.last.map { Self(connecting: $0.error) } ?? .hostUnreachable
        case is SocketAddressError, is SocketAddressError.UnknownHost: self = .hostUnreachable
        // RFC 1928 has no code for it; other proxies take this one.
        case ChannelError.connectTimeout: self = .expired
        case let error as IOError:
            switch error.errnoCode {
            case ECONNREFUSED: self = .refused
            case ENETUNREACH: self = .networkUnreachable
            case EHOSTUNREACH: self = .hostUnreachable
            case ETIMEDOUT: self = .expired
            default: self = .failure
            }
        default: self = .failure
        }
    }
}
