public import HTTPAuthentication
public import Hostnames
internal import WireFormat

/// One request and the party that may challenge it.
public struct ChallengedRequest: Sendable {
    /// The party that may challenge.
    public var party: ChallengedParty { facts.party }
    /// Scheme, host and port of that party: the origin server's, or the proxy's own.
    public var origin: Origin { facts.origin }
    /// Whether this is the origin of the party. Copies none.
    func isTo(_ origin: Origin) -> Bool { facts.origin == origin }
    /// The path at the origin without query; `/` for a proxy.
    public var path: String { facts.pathText }
    /// The request method.
    public var method: String { facts.method }
    /// The request target as it is sent (RFC 9112 section 3.2).
    public var target: String { facts.target }
    /// The leaf certificate (DER) of the TLS connection to the party, for channel binding; `nil` without TLS.
    public var serverCertificate: [UInt8]? { facts.serverCertificate }
    /// The body of the request, which Digest with `qop=auth-int` covers.
    public var body: ExchangeBody { facts.body }
    var partyHash: PartyHash { facts.partyHash }
    /// Whether the request goes to an http origin through a proxy that can read it.
    package var isThroughPlainProxy: Bool { party == .origin && facts.isAbsolute }
    /// Whether the target has a form that the party receives (RFC 9112 section 3.2): a proxy gets absolute targets and
    /// CONNECT.
    var canBeChallengedByItsParty: Bool { party == .origin || facts.isAbsolute || method == "CONNECT" }
    /// Whether the party is a proxy that passes the request on. A response to CONNECT is the proxy's own.
    var isPassedOn: Bool { party == .proxy && method != "CONNECT" }
    /// The party's host as text, for service names; computed once for each request.
    var host: String { facts.host }
    /// The path as spaces compare it.
    var requestPath: RequestPath { facts.path }
    /// What the lock-out budget withholds if the party refuses a password that it accepted before: the path at an origin,
    /// the target without its query at a proxy, whose deny rules may cover single targets.
    package var withheldPath: RequestPath { facts.withheldPath }
    /// The party as a key of the lock-out budget.
    var place: Place { facts.place }

    // A class, so that a decision copies one reference instead of six.
    private let facts: Facts

    private final class Facts: Sendable {
        let party: ChallengedParty
        let origin: Origin
        let path: RequestPath
        /// Kept, because decisions read it several times.
        let pathText: String
        let withheldPath: RequestPath
        let method: String
        let target: String
        let serverCertificate: [UInt8]?
        let host: String
        let place: Place
        let partyHash: PartyHash
        let isAbsolute: Bool
        let body: ExchangeBody

        init(
            _ party: ChallengedParty,
            _ origin: Origin,
            path: RequestPath,
            method: String,
            target: String,
            serverCertificate: [UInt8]?,
            body: ExchangeBody,
            like other: Facts? = nil
        ) {
            self.party = party
            self.origin = origin
            self.path = path
            pathText = path.text
            withheldPath = party == .origin ? path : ChallengedRequest.withheldPath(atProxy: target)
            self.method = method
            self.target = target
            self.serverCertificate = serverCertificate
            isAbsolute = ChallengedRequest.isAbsolute(target)
            self.body = body
            if let other, party == .proxy || other.isAbsolute == isAbsolute {
                (host, place, partyHash) = (other.host, other.place, other.partyHash)
                return
            }
            host = origin.host.description
            place = Place(host: host, isProxy: party == .proxy)
            // What an origin accepted directly is not sent through a proxy that reads it before the origin asks there.
            let kind = (origin.scheme == .https ? 1 : 0) | (party == .origin && isAbsolute ? 2 : 0)
            partyHash = PartyHash(place, port: origin.port, kind: kind)
        }
    }

    /// Another request to the same party, which is described at less cost.
    init(like other: ChallengedRequest, method: String, target: String, body: ExchangeBody) {
        facts = Facts(
            other.party,
            other.origin,
            path: other.party == .origin ? RequestPath(Self.path(of: target)) : other.requestPath,
            method: method,
            target: target,
            serverCertificate: other.serverCertificate,
            body: body,
            like: other.facts
        )
    }

    /// A request to an origin server.
    public init(
        origin: Origin,
        method: String,
        target: String,
        serverCertificate: [UInt8]? = nil,
        body: ExchangeBody = .notAvailable
    ) {
        facts = Facts(
            .origin,
            origin,
            path: RequestPath(Self.path(of: target)),
            method: method,
            target: target,
            serverCertificate: serverCertificate,
            body: body
        )
    }

    /// The path of a target in origin form, or in absolute form, as sent to proxies (RFC 9112 section 3.2).
    ///
    /// A target in another form is returned unchanged. It does not begin with `/`, so no rule with a path covers it.
    private static func path(of target: String) -> String {
        if !target.hasPrefix("/"), let location = try? URLLocation(parsing: target) { return location.path }
        return withoutQuery(target)
    }

    /// ``withheldPath`` of a request through a proxy.
    static func withheldPath(atProxy target: String) -> RequestPath { RequestPath(beforeQueryOf: target) }

    /// Whether a target has the absolute form: `://` follows the scheme (RFC 9112 section 3.2.2).
    ///
    /// It reads bytes, because `contains` compares characters, which takes 18,000 instructions for a short URL.
    fileprivate static func isAbsolute(_ target: String) -> Bool {
        let bytes = target.utf8.span
        guard bytes.count > 0, bytes[0] != UInt8(ascii: "/"), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            colon + 2 < bytes.count
        else { return false }
        return bytes[colon + 1] == UInt8(ascii: "/") && bytes[colon + 2] == UInt8(ascii: "/")
    }

    fileprivate static func withoutQuery(_ target: String) -> String {
        let bytes = target.utf8.span
        guard let query = bytes.firstIndex(of: UInt8(ascii: "?")) else { return target }
        return ByteWriter.text(copying: bytes.extracting(0..<query))
    }

    /// A request through `proxy`, for the challenges of the proxy.
    public init(
        proxy: Origin,
        method: String,
        target: String,
        serverCertificate: [UInt8]? = nil,
        body: ExchangeBody = .notAvailable
    ) {
        facts = Facts(
            .proxy,
            proxy,
            path: "/",
            method: method,
            target: target,
            serverCertificate: serverCertificate,
            body: body
        )
    }
}
