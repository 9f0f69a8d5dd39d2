internal import NIOCore
internal import NIOPosix
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Why a connection or a listener could not be made, in a few words.
package enum ConnectReason {
    /// Whether `error` says that no connection was made.
    package static func isNoConnection(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost: true
        case ChannelError.connectTimeout: true
        // Of a connection that was made, the system gives none of these.
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL].contains(error.errnoCode)
        default: false
        }
    }

    package static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let lookup = error.dnsAError ?? error.dnsAAAAError, error.connectionErrors.isEmpty {
                if let unknown = lookup as? SocketAddressError.UnknownHost {
                    return "the name cannot be resolved: \(unknown.errorDescription)"
                }
                return lookup is SocketAddressError ? "the name cannot be resolved" : "\(lookup)"
            }
            return error.connectionErrors.map { text($0.error) }.uniqued().joined(separator: ", ")
        case let error as IOError: return SystemReason.text(error.errnoCode)
        case ChannelError.connectTimeout(let time): return "no answer within \(time.inWords)"
        default: return "\(error)"
        }
    }
}

extension [String] {
    /// Without repetitions, in the same order.
    fileprivate func uniqued() -> [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension TimeAmount {
    /// The time as text: `10 s`, or `1500 ms` if the seconds are not a whole number.
    var inWords: String {
        let milliseconds = nanoseconds / 1_000_000
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}
