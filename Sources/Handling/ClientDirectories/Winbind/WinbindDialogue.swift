internal import ClientAuthentication
internal import CredentialSources
internal import NTLM
internal import Secrets
internal import WireFormat

/// A question of the protocol `ntlm-server-1` of Samba's `ntlm_auth`: lines `NAME: VALUE`, or `NAME:: BASE64`, and a line with a full stop.
struct WinbindQuestion: Sendable {
    enum Proof: Sendable {
        case password(SharedSecret)
        case response(ClientProof)
    }

    let name: ClientName
    /// The domain of a name without one.
    let domain: String
    let proof: Proof

    /// The lines. Every value that a client chooses is in Base64, so that none of them ends a line.
    var text: SecretBytes {
        var lines: [UInt8] = []
        // Room for all from the start: an array that grows leaves a copy of its contents behind.
        lines.reserveCapacity(capacity)
        defer { erase(&lines) }
        func append(_ text: String) { lines.append(contentsOf: text.utf8) }
        let domain = name.domain.isEmpty ? self.domain : name.domain
        append("Username:: \(Base64.encode(Array(name.user.utf8).span))\n")
        if !domain.isEmpty { append("NT-Domain:: \(Base64.encode(Array(domain.utf8).span))\n") }
        switch proof {
        case .password(let password):
            append("Password:: ")
            password.withBytes { Base64.append($0, to: &lines) }
            append("\n")
        case .response(let proof):
            append("LANMAN-Challenge: \(Hexadecimal.encode(proof.serverChallenge.span))\n")
            // winbind refuses an answer without one; a controller that takes NTLMv2 does not look at it.
            append("LANMAN-Response: \(String(repeating: "0", count: 48))\n")
            append("NT-Response: \(Hexadecimal.encode(proof.response.span))\n")
            append("Request-User-Session-Key: Yes\n")
        }
        append(".\n")
        return SecretBytes(copying: lines.span)
    }

    private var capacity: Int {
        let proof =
            switch proof {
            case .password(let password): 2 * password.count
            case .response(let proof): 2 * proof.response.count
            }
        return 2 * (name.user.utf8.count + name.domain.utf8.count + domain.utf8.count) + proof + 512
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
            values[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        switch values["Authenticated"] {
        case "Yes":
            let key = values["User-Session-Key"].flatMap { try? Hexadecimal.decode($0) }
            self = .right(key.flatMap { try? SessionBaseKey($0.span) })
        case "No":
            let reason = values["Authentication-Error"] ?? ""
            self = Self.isOfServer(reason) ? .failed(VisibleText.line(reason)) : .wrong
        default: return nil
        }
    }

    /// Whether a reason is about winbind or the way to a controller, and not about the account. By default it is about the account, so that no
    /// wrong password goes uncounted.
    private static func isOfServer(_ reason: String) -> Bool {
        let reason = reason.lowercased()
        return [
            "winbind", "logon server", "domain controller", "trust relationship", "timeout", "timed out", "network",
            "rpc", "connection",
        ]
        .contains { reason.contains($0) }
    }
}
