import ClientAuthentication
import ClientDirectories
import Foundation
import HTTPAuthentication
import HTTPTypes
import NTLM
import Secrets
import WireFormat

/// Asks a directory of the system, for as long as there are lines on standard input:
///
/// - `basic NAME PASSWORD`: whether the password is right;
/// - `ntlm USER DOMAIN PASSWORD`: whether a client of NTLM with it is let in; `-` stands for no domain.
///
/// It prints `right`, `wrong` or `error: REASON` for each.
enum DirectoryQuestions {
    static func run(_ words: [String]) async throws {
        let options = Options(words)
        let directory: any ClientDirectory =
            switch words.first {
            case "winbind":
                WinbindDirectory(
                    options["program"] ?? "ntlm_auth",
                    configuration: options["configuration"],
                    domain: options["domain"] ?? ""
                )
            default:
                try KerberosPasswords(
                    realm: options["realm"] ?? "",
                    host: options["host"] ?? "localhost",
                    keytab: options["keytab"]
                )
            }
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do {
                let isRight =
                    words[0] == "ntlm"
                    ? try await logOn(directory, words[1], words[2] == "-" ? "" : words[2], words[3])
                    : try await directory.accepts(SharedSecret(utf8: words[2]), of: ClientName(words[1]))
                say(isRight ? "right" : "wrong")
            } catch {
                say("error: \(error)")
            }
        }
    }

    /// A whole handshake, by our own client.
    private static func logOn(
        _ directory: any ClientDirectory,
        _ user: String,
        _ domain: String,
        _ password: String
    ) async throws -> Bool {
        let authenticator = ClientAuthenticator(
            ClientAuthenticationOptions(
                party: .origin,
                realm: "test",
                schemes: [.ntlm],
                ntlm: ServerHandshake.Options(computerName: "TEST", domainName: "ACME")
            ),
            directory: directory
        )
        var connection = authenticator.connection(from: "192.0.2.1", isEncrypted: true, isPinned: true)
        var handshake = ClientHandshake(
            account: try NTLMAccount(user: user, domain: domain, hash: NTHash(password: password))
        )
        var token = handshake.negotiate()
        while true {
            let fields: HTTPFields = [.authorization: "NTLM \(Base64.encode(token.span))"]
            var step = connection.received(method: "GET", target: "/", fields: fields)
            if case .ask(let question) = step {
                step = connection.replied(try await question.ask(directory), to: question)
            }
            switch step {
            case .accept: return true
            case .ask: throw Unexpected()
            case .refuse(let refusal):
                guard refusal.reason == .unanswered, let value = refusal.fields[.wwwAuthenticate] else { return false }
                let challenge = try Base64.decode(value.dropFirst("NTLM ".count))
                token = try handshake.authenticate(challenge: challenge.span, now: .now)
            }
        }
    }

    private struct Unexpected: Error {}
}
