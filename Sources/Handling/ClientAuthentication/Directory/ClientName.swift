/// The name of an account, as a client spells it.
public struct ClientName: Hashable, Sendable {
    /// The user without its domain; `jdoe@acme.example` stays whole.
    public let user: String
    /// The domain; empty without one.
    public let domain: String

    /// Makes a name of its parts.
    ///
    /// - Parameters:
    ///   - user: the user without its domain.
    ///   - domain: the domain; empty without one.
    public init(user: String, domain: String = "") {
        self.user = user
        self.domain = domain
    }

    /// Reads a name of Basic or Digest. What precedes a backslash is the domain.
    public init(_ spelled: String) {
        let parts = spelled.split(separator: "\\", maxSplits: 1, omittingEmptySubsequences: false)
        self = parts.count == 2 ? ClientName(user: "\(parts[1])", domain: "\(parts[0])") : ClientName(user: spelled)
    }

    /// The most bytes of a name. A longer name is refused.
    static let maximumBytes = 1024

    /// Whether the name may go on to directories, logs and fields: it is not too long, and has no control characters and no
    /// separators of lines (RFC 7617 section 2).
    var isUsable: Bool {
        guard user.utf8.count + domain.utf8.count <= Self.maximumBytes else { return false }
        return [user, domain].allSatisfy { $0.unicodeScalars.allSatisfy { !Self.endsLine($0) } }
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// The same for all spellings that differ in case alone, because directories ignore case.
    package var account: String { "\(domain.lowercased())\\\(user.lowercased())" }
}

extension ClientName: CustomStringConvertible {
    /// `ACME\jdoe`, or the user alone.
    public var description: String { domain.isEmpty ? user : "\(domain)\\\(user)" }
}
