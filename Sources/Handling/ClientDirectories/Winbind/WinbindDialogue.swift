internal import ClientAuthentication
internal import NTLM
internal import Secrets
internal import WireFormat

/// A question of the protocol `ntlm-server-1` of Samba's `ntlm_auth`: lines `NAME: VALUE`, or `NAME:: BASE64`, and a line with a full stop.
struct WinbindQuestion: Sendable {
    private let name: ClientName
    private let proof: ClientProof

    init(_ name: ClientName, _ proof: ClientProof) { (self.name, self.proof) = (name, proof) }

    /// The lines. What a client chooses is in Base64 or hexadecimal, so that none of it ends a line.
    var text: SecretBytes {
        var lines = "Username:: \(Base64.encode(Array(name.user.utf8).span))\n"
        // Without one `ntlm_auth` takes its own.
        if !name.domain.isEmpty { lines += "NT-Domain:: \(Base64.encode(Array(name.domain.utf8).span))\n" }
        lines += "LANMAN-Challenge: \(Hexadecimal.encode(proof.serverChallenge.span))\n"
        // winbind refuses an answer without one; a controller that takes NTLMv2 does not look at it.
        lines += "LANMAN-Response: \(String(repeating: "0", count: 48))\n"
        lines += "NT-Response: \(Hexadecimal.encode(proof.response.span))\n"
        lines += "Request-User-Session-Key: Yes\n.\n"
        return SecretBytes(copying: Array(lines.utf8).span)
    }
}

/// What `ntlm_auth` says.
enum WinbindAnswer: Sendable {
    /// With the key of the session, if one was asked for.
    case right(SessionBaseKey?)
    case wrong
    /// No controller has judged the answer.
    case failed(String)

    /// Reads the lines before a full stop; `nil` for text that says neither yes nor no. After an error there is a second full stop, which stands
    /// before the next answer if it comes late.
    init?(_ text: Span<UInt8>) {
        var values: [String: String] = [:]
        for line in String(decoding: [UInt8](copying: text), as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[String(line[..<colon])] = String(line[line.index(after: colon)...].drop(while: \.isWhitespace))
        }
        switch values["Authenticated"] {
        case "Yes":
            let key = values["User-Session-Key"].flatMap { try? Hexadecimal.decode($0) }
            self = .right(key.flatMap { try? SessionBaseKey($0.span) })
        case "No":
            let reason = values["Authentication-Error"] ?? ""
            self = Self.isAboutAccount(reason) ? .wrong : .failed(VisibleText.line(reason))
        default:
            guard let problem = values["Error"] else { return nil }
            self = .failed(VisibleText.line(problem))
        }
    }

    /// Whether a controller has judged the account. Samba's texts for the results of MS-ERREF tell: a wrong password or name, an account that is locked,
    /// disabled or expired, a log-on at a forbidden hour. Other texts are about winbind, or about the trust between this computer and its domain. In both
    /// cases the client is refused; only the first counts as a guess.
    private static func isAboutAccount(_ reason: String) -> Bool {
        let reason = reason.lowercased()
        guard
            !["trust", "computer account", "machine account", "mutual authentication"].contains(where: reason.contains)
        else { return false }
        return ["account", "password", "username", "type of logon", "logon hours", "time-of-day"].contains {
            reason.contains($0)
        }
    }
}
