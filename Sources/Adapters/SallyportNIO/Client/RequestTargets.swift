internal import NIOHTTP1
internal import Sallyport

/// Reads the target of a request, and checks that the request belongs to the origin of its connection.
struct RequestTargets {
    let origin: Origin
    let route: RequestRoute
    /// The last `Host` that named the origin.
    private var knownHost: String?

    init(_ origin: Origin, _ route: RequestRoute) {
        (self.origin, self.route) = (origin, route)
    }

    /// The target for the driver. Puts the head's own target into the form that the route needs.
    mutating func read(_ head: inout HTTPRequestHead) throws(AuthenticationError) -> String {
        guard head.method != .CONNECT else { throw .unsupportedTarget(Self.shown(head.uri)) }
        for (name, host) in head.headers where name.utf8.count == 4 && name.lowercased() == "host" && host != knownHost
        {
            guard names(host) else { throw .otherOrigin(named: Self.shown(host), expected: origin) }
            knownHost = host
        }
        guard case .forwarded = route else {
            _ = try absolute(head.uri)
            return head.uri
        }
        if head.uri.hasPrefix("/") {
            let target = head.uri
            head.uri = "\(origin)\(target)"
            return target
        }
        guard let target = try absolute(head.uri) else { throw .unsupportedTarget(Self.shown(head.uri)) }
        // The driver signs the target that begins with this form of the origin.
        head.uri = "\(origin)\(target)"
        return target
    }

    /// The text without a user and a query, which may hold secrets.
    private static func shown(_ text: some StringProtocol) -> String {
        let user = text.lastIndex(of: "@").map { text.index(after: $0) } ?? text.startIndex
        return String(text[user...].prefix { $0 != "?" && $0 != "#" })
    }

    private func names(_ authority: String) -> Bool {
        (try? Origin(scheme: origin.scheme, authority: authority)) == origin
    }

    /// What follows the authority of a URL, byte for byte; `nil` for a target in another form.
    private func absolute(_ target: String) throws(AuthenticationError) -> String? {
        guard !target.hasPrefix("/"), let mark = target.firstRange(of: "://") else { return nil }
        let rest = target[mark.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let scheme = target[..<mark.lowerBound].lowercased()
        guard scheme == origin.scheme.rawValue, names(String(rest[..<end])) else {
            throw .otherOrigin(named: Self.shown(rest[..<end]), expected: origin)
        }
        let path = String(rest[end...])
        guard !path.contains("#") else { throw .unsupportedTarget(Self.shown(target)) }
        return path.hasPrefix("/") ? path : "/" + path
    }
}
