public import Hostnames
public import NIOCore
public import NIOHTTP1
package import Sallyport

/// A request for an ``AuthenticatedClient``.
public struct ClientRequest: Sendable {
    /// Scheme, host and port of the server. Credentials are chosen for it, whatever `Host` field is sent.
    public var origin: Origin
    /// The request method. It decides whether a lost request may be sent again (RFC 9110 section 9.2.2).
    public var method: HTTPMethod
    /// Path and query, as they are sent; escapes stay as they are.
    public var target: String
    /// The header fields, without `Host` and those that frame the body.
    public var headers: HTTPHeaders
    /// What is sent after the head; it may have to be sent again after a challenge.
    public var body: Body

    /// A request to an origin.
    public init(
        origin: Origin,
        method: HTTPMethod = .GET,
        target: String = "/",
        headers: HTTPHeaders = [:],
        body: Body = .none
    ) {
        self.origin = origin
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// A request to a URL. What follows its authority is sent byte for byte, without a fragment.
    ///
    /// - Throws: `URLLocationError`.
    public init(
        url: some StringProtocol,
        method: HTTPMethod = .GET,
        headers: HTTPHeaders = [:],
        body: Body = .none
    ) throws(URLLocationError) {
        let parsed = try URLTarget(parsing: url)
        self.init(origin: parsed.origin, method: method, target: parsed.target, headers: headers, body: body)
    }

    /// The parts of a body that is not in memory.
    public typealias Parts = any AsyncSequence<ByteBuffer, any Error> & Sendable

    /// The body of a request, and how often it can be sent.
    public enum Body: Sendable {
        /// Nothing follows the head.
        case none
        /// Bytes in memory.
        case bytes(ByteBuffer)
        /// Parts that can be made again for each send.
        case repeatable(length: Int64?, make: @Sendable () -> Parts)
        /// Parts that can be sent once. A server that asks for authentication after the body ends the request.
        case once(length: Int64?, Parts)
    }
}

extension ClientRequest {
    /// The request as the handler sees it.
    package var outgoing: OutgoingRequest {
        OutgoingRequest(origin: origin, method: method.rawValue, target: target, body: bodyForHandler)
    }

    /// The same for questions that no body changes.
    package var withoutBody: OutgoingRequest {
        OutgoingRequest(origin: origin, method: method.rawValue, target: target)
    }

    private var bodyForHandler: OutgoingRequest.Body {
        switch body {
        case .none: .none
        case .bytes(let buffer): .repeatable(.bytes(Array(buffer.readableBytesView)))
        case .repeatable: .repeatable(.notAvailable)
        case .once: .once
        }
    }

    /// `Host` and, for a tunnel, the name after CONNECT.
    var authority: String {
        origin.port == origin.scheme.defaultPort ? "\(origin.host)" : "\(origin.host):\(origin.port)"
    }
}
