public import HTTPAuthentication
public import Hostnames

/// One request and the party that may challenge it.
public struct ChallengedRequest: Sendable {
    /// The party that may challenge.
    public var party: ChallengedParty { facts.party }
    /// Scheme, host and port of that party: the origin server's, or the proxy's own.
    public var origin: Origin { facts.origin }
    /// The path at the origin without query; `/` for a proxy.
    public var path: String { facts.path }
    /// The request method.
    public var method: String { facts.method }
    /// The request target as it is sent (RFC 9112 section 3.2).
    public var target: String { facts.target }
    /// The leaf certificate (DER) of the TLS connection to the party, for channel binding; `nil` without TLS.
    public var serverCertificate: [UInt8]? { facts.serverCertificate }
    /// The party's host as text, for service names; computed once for each request.
    var host: String { facts.host }
    /// The party as a key of the lock-out budget.
    var place: LockoutBudget.Place { facts.place }

    // A class, so that a decision copies one reference instead of six.
    private let facts: Facts

    private final class Facts: Sendable {
        let party: ChallengedParty
        let origin: Origin
        let path: String
        let method: String
        let target: String
        let serverCertificate: [UInt8]?
        let host: String
        let place: LockoutBudget.Place

        init(
            _ party: ChallengedParty,
            _ origin: Origin,
            path: String,
            method: String,
            target: String,
            serverCertificate: [UInt8]?
        ) {
            self.party = party
            self.origin = origin
            self.path = path
            self.method = method
            self.target = target
            self.serverCertificate = serverCertificate
            host = origin.host.description
            place = LockoutBudget.Place(host: host, isProxy: party == .proxy)
        }
    }

    /// A request to an origin server.
    public init(origin: Origin, method: String, target: String, serverCertificate: [UInt8]? = nil) {
        facts = Facts(
            .origin,
            origin,
            path: Self.path(of: target),
            method: method,
            target: target,
            serverCertificate: serverCertificate
        )
    }

    /// The path of a target in origin form, or in absolute form, as sent to proxies (RFC 9112 section 3.2).
    ///
    /// A target in another form is returned unchanged. It does not begin with `/`, so no rule with a path covers it.
    private static func path(of target: String) -> String {
        if !target.hasPrefix("/"), let location = try? URLLocation(parsing: target) { return location.path }
        return String(target.prefix { $0 != "?" })
    }

    /// A request through `proxy`, for the challenges of the proxy.
    public init(proxy: Origin, method: String, target: String, serverCertificate: [UInt8]? = nil) {
        facts = Facts(
            .proxy,
            proxy,
            path: "/",
            method: method,
            target: target,
            serverCertificate: serverCertificate
        )
    }
}
