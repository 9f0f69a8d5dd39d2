public import Secrets
internal import WireFormat

/// An access token with its end, its scope and its service, in the form that a store keeps.
///
/// The form is a JSON object with the members `issuer`, `scope`, `expiry`, `tls`, `token`, `id` for an ID token, and `jkt` for a token that is bound to a key: the
/// key's name (RFC 7638).
public struct KeptToken: Sendable {
    /// The token. One that is bound to a key has no ``AccessToken/prover`` after it was read.
    public let access: AccessToken
    /// The name of the service that granted it.
    public let issuer: String
    /// Whether it is an ID token, which is good for other parties than an access token.
    public let isIDToken: Bool
    /// The name of the key that the token is bound to (RFC 7638); `nil` for a bearer token.
    public let thumbprint: String?

    /// Takes a token of a service.
    public init(_ access: AccessToken, issuer: String, isIDToken: Bool = false) {
        (self.access, self.issuer, self.isIDToken) = (access, issuer, isIDToken)
        thumbprint = access.prover?.thumbprint
    }

    /// The form for the store; `nil` for a token that is bound to a key that is not known, or has a character that no field can carry.
    public var encoded: SharedSecret? {
        // Other characters would be copied through a buffer that is not erased, and no request can carry them.
        let isVisible = access.secret.withBytes { bytes in
            bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
        }
        guard access.kind == .bearer || thumbprint != nil, isVisible else { return nil }
        var text: [UInt8] = []
        // Each byte takes six at most. Reserved at once, so that no copy with a part of the token is left behind.
        text.reserveCapacity(6 * (issuer.utf8.count + (access.scope?.utf8.count ?? 0) + access.secret.count) + 512)
        defer { erase(&text) }
        text += #"{"issuer":"#.utf8
        text.append(jsonString: issuer)
        if let scope = access.scope {
            text += #","scope":"#.utf8
            text.append(jsonString: scope)
        }
        if let expiry = access.expiry { text += #","expiry":\#(expiry)"#.utf8 }
        if isIDToken { text += #","id":true"#.utf8 }
        if let thumbprint {
            text += #","jkt":"#.utf8
            text.append(jsonString: thumbprint)
        }
        text += #","tls":\#(access.requiresTLS),"token":""#.utf8
        access.secret.withBytes { text.append(jsonText: $0) }
        text += #""}"#.utf8
        return SharedSecret(SecretBytes(copying: text.span))
    }

    /// Reads the form; `nil` for another text.
    public init?(_ encoded: SharedSecret) {
        guard let members = try? JSONMembers(encoded), let issuer = members.string("issuer"),
            let token = members.secret("token"), token.count > 0,
            !members.contains("expiry") || members.integer("expiry") != nil,
            // Otherwise a token that is bound to a key would go out as a bearer token.
            !members.contains("jkt") || members.string("jkt") != nil
        else { return nil }
        self.issuer = issuer
        isIDToken = members.boolean("id") ?? false
        thumbprint = members.string("jkt")
        access = AccessToken(
            token,
            kind: thumbprint == nil ? .bearer : .dpop,
            expiry: members.integer("expiry"),
            scope: members.string("scope"),
            requiresTLS: members.boolean("tls") ?? true,
            isStored: true
        )
    }
}

extension KeptToken: CustomStringConvertible, CustomReflectable {
    /// The token's kind and end, and its service.
    public var description: String { "\(access) of \(issuer)" }

    /// Nothing that is secret.
    public var customMirror: Mirror { Mirror(self, children: ["access": access, "issuer": issuer]) }
}
