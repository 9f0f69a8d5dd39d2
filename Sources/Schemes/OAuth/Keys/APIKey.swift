public import Hostnames
public import Secrets

/// A fixed key of a programming interface.
public struct APIKey: Sendable {
    /// How a request shows the key.
    public enum Placement: Hashable, Sendable {
        /// `Authorization: Bearer KEY`.
        case bearer
        /// A field of its own, such as `X-API-Key`.
        case field(String)
        /// A parameter of the query. Logs of servers and proxies show it, so it is never chosen by default.
        case query(String)
    }

    /// The key.
    public let secret: SharedSecret
    /// How a request shows it.
    public let placement: Placement
    /// The `Referer` that the key demands; `nil` for none.
    public let referer: String?

    /// Makes a key.
    public init(_ secret: SharedSecret, placement: Placement = .bearer, referer: String? = nil) {
        (self.secret, self.placement, self.referer) = (secret, placement, referer)
    }
}

extension APIKey: CustomStringConvertible, CustomReflectable {
    /// The place, without the key.
    public var description: String { "<API key in \(placement)>" }

    /// The place, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["placement": placement]) }
}

/// API keys by what they are for: everything at some origins, or one resource. The longest path wins.
public struct APIKeyRing: Sendable {
    private struct Entry {
        let origin: Origin
        let path: String
        let key: APIKey
    }

    private var entries: [Entry] = []

    /// Makes a ring without keys.
    public init() {}

    /// Adds a key for `path` and what lies below it at `origin`; it replaces one for the same path.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - origin: scheme, host and port that get it.
    ///   - path: `/` for everything.
    public mutating func add(_ key: APIKey, at origin: Origin, path: String = "/") {
        entries.removeAll { $0.origin == origin && $0.path == path }
        let index = entries.firstIndex { $0.path.utf8.count < path.utf8.count } ?? entries.endIndex
        entries.insert(Entry(origin: origin, path: path, key: key), at: index)
    }

    /// The key for a request; `nil` if there is none.
    ///
    /// A path that servers may read in several ways (`..`, `%2e`, `;`, `\`) gets the key of the whole origin only.
    public func key(for origin: Origin, path: String) -> APIKey? {
        let isCertain = Self.isCertain(path)
        return entries.first { entry in
            entry.origin == origin && (entry.path == "/" || isCertain && Self.covers(entry.path, path))
        }?.key
    }

    private static func covers(_ prefix: String, _ path: String) -> Bool {
        let folder = prefix.hasSuffix("/") ? prefix : prefix + "/"
        return path == prefix || path.utf8.starts(with: folder.utf8)
    }

    private static func isCertain(_ path: String) -> Bool {
        !path.contains("%") && !path.contains(";") && !path.contains("\\") && !path.contains("//")
            && path.split(separator: "/").allSatisfy { $0 != "." && $0 != ".." }
    }
}
