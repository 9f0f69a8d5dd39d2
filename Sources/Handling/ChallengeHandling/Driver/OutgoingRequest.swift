public import HTTPAuthentication
public import Hostnames

/// A request as the application means it, before any proxy.
public struct OutgoingRequest: Sendable {
    /// What the body allows.
    public enum Body: Sendable {
        /// No body.
        case none
        /// A body that can be sent again. Its bytes are needed only for Digest with `qop=auth-int`.
        case repeatable(ExchangeBody)
        /// A body that can be sent once, for example a stream.
        case once

        package var isOnce: Bool {
            if case .once = self { return true }
            return false
        }
    }

    /// The server.
    public var origin: Origin {
        switch form {
        case .described(let request): request.origin
        case .plain(let request): request.origin
        }
    }
    /// The request method.
    public var method: String {
        switch form {
        case .described(let request): request.method
        case .plain(let request): request.method
        }
    }
    /// Path and query, as they are sent; escapes stay as they are.
    public var target: String {
        switch form {
        case .described(let request): request.target
        case .plain(let request): request.target
        }
    }
    /// Whether there is a body, and whether it can be sent again after a challenge.
    public let body: Body
    private let form: Form

    private enum Form: Sendable {
        /// As its origin receives it without a proxy. Made once, so that a request that is sent often costs little.
        case described(ChallengedRequest)
        case plain(Plain)
    }

    /// A request whose origin is not answered.
    private final class Plain: Sendable {
        let origin: Origin
        let method: String
        let target: String

        init(origin: Origin, method: String, target: String) {
            (self.origin, self.method, self.target) = (origin, method, target)
        }
    }

    /// Describes a request.
    public init(origin: Origin, method: String = "GET", target: String = "/", body: Body = .none) {
        self.body = body
        let body = Self.exchangeBody(of: body)
        form = .described(ChallengedRequest(origin: origin, method: method, target: target, body: body))
    }

    /// A request of which only a proxy is answered. No ``ChallengedRequest`` is made for its origin, because that one's challenges go to the
    /// sender.
    package static func toBeRelayed(origin: Origin, method: String, target: String, body: Body) -> OutgoingRequest {
        OutgoingRequest(.plain(Plain(origin: origin, method: method, target: target)), body)
    }

    private init(_ form: Form, _ body: Body) { (self.form, self.body) = (form, body) }

    /// The request as its origin receives it without a proxy. Made at each call for one that is to be relayed.
    var direct: ChallengedRequest {
        switch form {
        case .described(let request): request
        case .plain(let request):
            ChallengedRequest(
                origin: request.origin,
                method: request.method,
                target: request.target,
                body: Self.exchangeBody(of: body)
            )
        }
    }

    /// Another request to the same origin, which is described at less cost.
    package init(like other: OutgoingRequest, method: String, target: String, body: Body) {
        self.body = body
        form = .described(
            ChallengedRequest(like: other.direct, method: method, target: target, body: Self.exchangeBody(of: body))
        )
    }

    /// The path of the target, without the query.
    package var path: String { direct.path }

    /// The body for answers that cover it.
    private static func exchangeBody(of body: Body) -> ExchangeBody {
        switch body {
        case .none: .none
        case .repeatable(let bytes): bytes
        case .once: .notAvailable
        }
    }
}

extension OutgoingRequest {
    /// The request as the origin receives it by `route`.
    package func toOrigin(by route: RequestRoute) -> ChallengedRequest {
        guard case .forwarded = route else { return direct }
        return ChallengedRequest(
            origin: origin,
            method: method,
            target: absoluteTarget,
            body: Self.exchangeBody(of: body)
        )
    }

    /// The request as the proxy of `route` receives it; `nil` without a proxy.
    package func toProxy(by route: RequestRoute) -> ChallengedRequest? {
        switch route {
        case .direct: nil
        case .forwarded(let proxy):
            ChallengedRequest(
                proxy: proxy,
                method: method,
                target: absoluteTarget,
                body: Self.exchangeBody(of: body)
            )
        case .connect(let proxy):
            ChallengedRequest(proxy: proxy, method: "CONNECT", target: "\(origin.host):\(origin.port)", body: .none)
        }
    }

    /// RFC 9112 section 3.2: `OPTIONS *` goes through a proxy without a path.
    private var absoluteTarget: String {
        let target = target
        if target == "*" { return origin.description }
        let isRooted = target.utf8.first == UInt8(ascii: "/")
        return origin.text(before: isRooted ? target : "/" + target)
    }
}
