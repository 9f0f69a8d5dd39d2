internal import HTTPTypes
internal import Hostnames
internal import WireFormat

/// Where the token of an account goes with each request of its sites, in place of an answer to a challenge.
///
/// Such a token is sent besides what another account of the same sites answers: a web tier asks for Basic, NTLM or Kerberos, and the
/// interface behind it reads the token. An account with a placement answers no challenge.
public struct TokenPlacement: Hashable, Sendable {
    /// The part of the request.
    public enum Position: Hashable, Sendable {
        /// A field of its own, such as `X-API-Key`. It holds the token alone; a field whose name ends in `Authorization`, such as
        /// `X-Esri-Authorization`, holds `Bearer` and the token.
        case field(String)
        /// A parameter of the query. Servers and proxies write queries into their logs, so a field is better where the server reads one.
        case query(String)
    }

    /// The part of the request.
    public var position: Position
    /// The `Referer` that the token demands, an https URL; `nil` leaves the request's own.
    public var referer: String?

    /// Places a token.
    public init(_ position: Position, referer: String? = nil) {
        self.position = position
        self.referer = referer
    }

    /// Fields from which well-known interfaces read keys and tokens, as their pages write them. What is sent in them is a secret.
    package static let knownFields = [
        "X-API-Key", "Api-Key", "ApiKey", "X-ApiKey", "X-API-Token", "X-Auth-Key", "X-Auth-Token", "X-Access-Token",
        "X-Authorization",
        "Private-Token", "Job-Token", "Deploy-Token", "X-Vault-Token", "X-Consul-Token", "X-Goog-Api-Key",
        "X-Functions-Key",
        "Ocp-Apim-Subscription-Key", "X-Amz-Security-Token", "CF-Access-Token", "CF-Access-Client-Secret",
        "X-Esri-Authorization",
        "X-Redmine-API-Key", "DD-API-KEY", "DD-APPLICATION-KEY", "X-Shopify-Access-Token", "X-Figma-Token",
        "X-Plex-Token",
        "X-JFrog-Art-Api", "X-NuGet-ApiKey", "X-Rundeck-Auth-Token", "X-Postmark-Server-Token", "X-Hasura-Admin-Secret",
        "X-RapidAPI-Key", "X-Algolia-API-Key", "X-ELS-APIKey", "X-Cisco-Meraki-API-Key", "X-TrackerToken",
    ]

    /// The most bytes of the name of a field or parameter.
    public static let maximumNameBytes = 128
    /// The most bytes of a `Referer`.
    public static let maximumRefererBytes = 2_048
}

extension TokenPlacement.Position: CustomStringConvertible {
    /// `the field NAME` or `the query parameter NAME`.
    public var description: String {
        switch self {
        case .field(let name): "the field \(name)"
        case .query(let name): "the query parameter \(name)"
        }
    }
}

extension TokenPlacement {
    /// Why a placement cannot be used.
    public enum Defect: Error, Hashable, Sendable {
        /// The account has no token.
        case noToken
        /// The token is bound to a key, whose proof belongs to the field `Authorization`.
        case boundToken
        /// The token has a character that no field may hold, or is empty.
        case unsendableToken
        /// The name of the field is not a token of RFC 9110 section 5.6.2.
        case malformedField(String)
        /// The field belongs to the client, to connections, or to the answers to challenges.
        case reservedField(String)
        /// The name of the parameter has another character than letters, digits, `-`, `.`, `_` and `~`.
        case malformedParameter(String)
        /// The `Referer` is not an https URL in ASCII without user and fragment.
        case malformedReferer
    }

    /// Names of fields, in lower case, that never hold a token besides: the client sets them, or they mean something to every server.
    private static let reserved: Set<String> = [
        "accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length",
        "content-type", "cookie",
        "date", "expect", "forwarded", "host", "http2-settings", "if-match", "if-none-match", "keep-alive",
        "max-forwards", "origin",
        "range", "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via",
        "www-authenticate",
    ]
    /// The field of identity-aware proxies that are the server of the request; a proxy on the way takes it for its own.
    private static let proxyAuthorization = "proxy-authorization"

    /// Whether the field means a proxy to a proxy.
    var isReadByProxies: Bool {
        if case .field(let name) = position { name.lowercased() == Self.proxyAuthorization } else { false }
    }

    /// Why the placement cannot be used; `nil` if it can.
    package var defect: Defect? {
        switch position {
        case .field(let name):
            let lower = name.lowercased()
            guard name.utf8.count <= Self.maximumNameBytes, HTTPField.Name(name) != nil, !name.hasPrefix(":") else {
                return .malformedField(name)
            }
            // Proxies on the way remove what begins with "Proxy-", and only a browser itself sets what begins with "Sec-".
            let isReserved = Self.reserved.contains(lower) || lower.hasPrefix("sec-") || lower.hasPrefix("proxy-")
            if isReserved, lower != Self.proxyAuthorization { return .reservedField(name) }
        case .query(let name):
            guard (1...Self.maximumNameBytes).contains(name.utf8.count), name.utf8.allSatisfy({ $0.isUnreserved })
            else {
                return .malformedParameter(name)
            }
        }
        guard let referer else { return nil }
        return Self.isReferer(referer) ? nil : .malformedReferer
    }

    private static func isReferer(_ text: String) -> Bool {
        guard text.utf8.count <= maximumRefererBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains("#"), let location = try? URLLocation(parsing: text)
        else { return false }
        return location.origin.scheme == .https
    }
}

extension TokenPlacement.Defect: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .noToken: "only a token can be placed: give the account a token"
        case .boundToken:
            "a token that is bound to a key goes in Authorization alone: ask for a bearer token, or let it answer challenges"
        case .unsendableToken: "the token is empty, or has blanks or characters outside ASCII: write the token alone"
        case .malformedField(let name):
            "\(Self.quoted(name)) is not the name of a field: use letters, digits and '-', at most \(TokenPlacement.maximumNameBytes)"
        case .reservedField(let name):
            "the field \(Self.quoted(name)) has a meaning of its own: name the one that the server reads keys from, such as X-API-Key"
        case .malformedParameter(let name):
            "\(Self.quoted(name)) is not the name of a query parameter: use letters, digits, '-', '.', '_' and '~', at most "
                + "\(TokenPlacement.maximumNameBytes)"
        case .malformedReferer: "the referer is not an https URL in ASCII without user and fragment: correct it"
        }
    }

    private static func quoted(_ name: String) -> String { VisibleText.quoted(name) }
}

extension UInt8 {
    /// RFC 3986 section 2.3: a character that means itself in a URL.
    var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
