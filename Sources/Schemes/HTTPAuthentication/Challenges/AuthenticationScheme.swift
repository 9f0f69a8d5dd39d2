/// The name of an HTTP authentication scheme (RFC 9110 section 11.1); case does not matter.
public struct AuthenticationScheme: Hashable, Sendable {
    /// The name in lower case.
    public let name: String

    /// Takes any scheme name; case does not matter.
    public init(_ name: some StringProtocol) {
        self.name = name.lowercased()
    }

    init(lowerCase name: String) { self.name = name }

    /// RFC 7617.
    public static let basic = AuthenticationScheme("basic")
    /// RFC 7616.
    public static let digest = AuthenticationScheme("digest")
    /// MS-NTHT: NTLM messages in HTTP fields, bound to the connection.
    public static let ntlm = AuthenticationScheme("ntlm")
    /// RFC 4559: SPNEGO with Kerberos or NTLM in it, or NTLM messages without that frame.
    public static let negotiate = AuthenticationScheme("negotiate")
    /// RFC 6750.
    public static let bearer = AuthenticationScheme("bearer")
    /// RFC 9449: a token that is bound to a key, with a proof of that key beside it.
    public static let dpop = AuthenticationScheme("dpop")

    /// Whether the answer is a token, which a service grants and renews.
    package var usesToken: Bool { self == .bearer || self == .dpop }
}

extension AuthenticationScheme: CustomStringConvertible {
    /// The name in lower case.
    public var description: String { name }
}
