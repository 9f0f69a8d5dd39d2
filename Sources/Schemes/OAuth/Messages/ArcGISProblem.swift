internal import Secrets

/// An error in the body of an ArcGIS response, which may have status 200.
public struct ArcGISProblem: Equatable, Sendable {
    /// The number: 498 for a token that is invalid or has expired, 499 for a missing one, 403 for a missing permission.
    public let code: Int
    /// The server's words.
    public let text: String?
    /// The code of RFC 6749, if the error came from an OAuth endpoint.
    public let oauthCode: OAuthRefusal.Code?

    /// Looks for an error in a response; `nil` if there is none, or the body is no JSON object.
    ///
    /// - Parameter body: at most ``TokenLimits/responseBytes`` of it are read. An error is shorter.
    public init?(inBody body: Span<UInt8>) {
        guard body.count <= TokenLimits.responseBytes,
            let members = try? JSONMembers(SharedSecret(SecretBytes(copying: body)))
        else { return nil }
        self.init(members)
    }

    init?(_ members: JSONMembers) {
        let isOld = members.string("status") == "error"
        // Servers of the administrator's interface send the older form, in which the object itself is the error.
        guard let error = members.object("error") ?? (isOld ? members : nil) else { return nil }
        guard let code = error.integer("code") ?? (isOld ? 0 : nil) else { return nil }
        self.code = Int(clamping: code)
        let words = [error.string("message")].compactMap { $0 } + (error.strings(isOld ? "messages" : "details") ?? [])
        text = words.isEmpty ? nil : words.joined(separator: "; ")
        oauthCode = error.string("error").map { OAuthRefusal.Code(rawValue: $0) }
    }

    /// Whether a new token may help.
    public var wantsNewToken: Bool { code == 498 || code == 499 }

    var refusal: OAuthRefusal { OAuthRefusal(code: .init(rawValue: "\(code)"), text: text) }

    /// The refusal of an OAuth endpoint. A refresh token that is not valid has the number 498, and the word of a malformed request.
    var oauthRefusal: OAuthRefusal {
        OAuthRefusal(code: code == 498 ? .invalidGrant : oauthCode ?? refusal.code, text: text)
    }
}
