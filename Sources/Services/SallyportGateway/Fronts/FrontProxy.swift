/// The proxy in front of a server, which asks the gateway about each request.
public enum FrontProxy: String, CaseIterable, Sendable {
    /// nginx with `auth_request`.
    case nginx
    /// Caddy with `forward_auth`.
    case caddy
    /// Envoy with the filter `ext_authz` over HTTP.
    case envoy

    /// The field with the method of the client's request; `nil` if the check has the same one.
    var method: ToldField? {
        switch self {
        case .nginx: .originalMethod
        case .caddy: .forwardedMethod
        case .envoy: nil
        }
    }

    /// The field with the target of the client's request; `nil` if the check has the same one.
    var target: ToldField? {
        switch self {
        case .nginx: .originalTarget
        case .caddy: .forwardedTarget
        case .envoy: nil
        }
    }

    /// The field with the client's address. Of several addresses the last one counts, which the proxy itself has written.
    var address: ToldField {
        switch self {
        case .nginx: .clientAddress
        case .caddy, .envoy: .forwardedFor
        }
    }

    /// The field with the scheme by which the client speaks to the proxy.
    var scheme: ToldField { .forwardedScheme }

    /// Whether a client gets only the first challenge of a refusal: nginx before 1.23 passes the first `WWW-Authenticate` line alone.
    var passesOneChallenge: Bool { self == .nginx }

    /// The status that a client gets for one of ours. nginx answers with 500 to every status of a check but 2xx, 401 and 403.
    func status(_ status: Int) -> Int {
        switch self {
        case .nginx: status == 401 || (200..<300).contains(status) ? status : 403
        case .caddy, .envoy: status
        }
    }
}

/// A field by which a proxy tells something about a client's request.
enum ToldField: String {
    case originalMethod = "X-Original-Method"
    case originalTarget = "X-Original-URI"
    case forwardedMethod = "X-Forwarded-Method"
    case forwardedTarget = "X-Forwarded-Uri"
    case forwardedFor = "X-Forwarded-For"
    case forwardedScheme = "X-Forwarded-Proto"
    case clientAddress = "X-Client-Address"

    /// The name in lower case.
    var name: StaticString {
        switch self {
        case .originalMethod: "x-original-method"
        case .originalTarget: "x-original-uri"
        case .forwardedMethod: "x-forwarded-method"
        case .forwardedTarget: "x-forwarded-uri"
        case .forwardedFor: "x-forwarded-for"
        case .forwardedScheme: "x-forwarded-proto"
        case .clientAddress: "x-client-address"
        }
    }
}
