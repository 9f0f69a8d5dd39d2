internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import SallyportNIO

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Looks a name up, and leaves out the addresses that the relay does not serve: a name must not lead to them.
final class FilteringResolver: Resolver, Sendable {
    private let rules: DestinationRules
    private let scheme: Scheme
    private let eventLoop: any EventLoop

    init(_ rules: DestinationRules, scheme: Scheme, on eventLoop: any EventLoop) {
        (self.rules, self.scheme, self.eventLoop) = (rules, scheme, eventLoop)
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { find(host, port, AF_INET) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { find(host, port, AF_INET6) }

    // A call of the system's resolver cannot be taken back.
    func cancelQueries() {}

    private func find(_ host: String, _ port: Int, _ family: Int32) -> EventLoopFuture<[SocketAddress]> {
        let port = UInt16(truncatingIfNeeded: port)
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [rules, scheme] in
            let found = try AddressLookup.find(host, port, family)
            let served = found.filter { address in
                guard let host = Hostname(address) else { return false }
                return !rules.forbids(Origin(scheme: scheme, host: host, port: port))
            }
            guard !served.isEmpty || found.isEmpty else { throw Forbidden() }
            return served
        }
    }

    /// All addresses of the name are special.
    private struct Forbidden: Error {}

    /// Whether a connection failed because of this.
    static func isForbidden(_ error: any Error) -> Bool {
        guard let error = error as? NIOConnectionError, error.connectionErrors.isEmpty else { return false }
        return error.dnsAError is Forbidden || error.dnsAAAAError is Forbidden
    }
}

extension ClientBootstrap {
    /// Connects to a server or a proxy.
    ///
    /// - Parameters:
    ///   - isNamed: whether the settings name it, so that it may be on loopback. Another name must not lead there.
    ///   - rules: what other names must not lead to.
    func connect(
        to origin: Origin,
        isNamed: Bool,
        _ rules: DestinationRules,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let (host, port) = (origin.host.withoutBrackets, Int(origin.port))
        guard isNamed else {
            return resolver(FilteringResolver(rules, scheme: origin.scheme, on: eventLoop)).connect(
                host: host,
                port: port
            )
        }
        if origin.host.isAddress, let address = try? SocketAddress(ipAddress: host, port: port) {
            // Without a resolver, which has threads of its own also for what it need not look up.
            return connect(to: address)
        }
        return connect(host: host, port: port)
    }
}
