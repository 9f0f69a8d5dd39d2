import Foundation
import LiveServers
import TestSupport
import WireFormat

/// An implementation of NTLM by other people, as client and as server, played by `token_peer.py`.
final class TokenPeer {
    enum Kind: String, CaseIterable {
        case pyspnego
        case gssNTLMSSP = "gss-ntlmssp"
        case samba
        case ntlmAuth = "ntlm-auth"
        case impacket

        /// What starts a script with this peer in it.
        func command(script: String) -> [String] {
            let arguments = [
                "-W", "ignore", HelperFile.path(script), rawValue, ServerScript.domain, ServerScript.accountList,
            ]
            let interpreter: [String] =
                switch self {
                // Debian's module belongs to Debian's interpreter.
                case .gssNTLMSSP: ["/usr/bin/python3"]
                case .samba:
                    [Script.server("with-winbind"), ServerScript.domain, ServerScript.accountList, "python3"]
                default: ["python3"]
                }
            // gss-ntlmssp compares names in the locale of its process.
            return ["LC_ALL=C.UTF-8"] + interpreter + arguments
        }
    }

    /// What the peer answered instead of a message.
    struct Refusal: Error { let reason: String }

    private struct Request: Encodable {
        var user, domain, password, bindings, challenge, negotiate, authenticate: String?
    }
    private struct Reply: Decodable { var token, user, error: String? }

    private let process: HelperProcess

    init(_ kind: Kind) throws { process = try HelperProcess(kind.command(script: "token_peer.py")) }

    // MARK: As a client

    func negotiate(user: String, domain: String, password: String, bindings: [UInt8]?) throws -> [UInt8] {
        try token(Request(user: user, domain: domain, password: password, bindings: Self.digits(bindings)))
    }

    func authenticate(challenge: [UInt8]) throws -> [UInt8] {
        try token(Request(challenge: Base64.encode(challenge.span)))
    }

    // MARK: As a server

    func challenge(to negotiate: [UInt8], bindings: [UInt8]?) throws -> [UInt8] {
        try token(Request(bindings: Self.digits(bindings), negotiate: Base64.encode(negotiate.span)))
    }

    /// Who got in, as the peer names users.
    func verify(authenticate: [UInt8]) throws -> String {
        let reply = try ask(Request(authenticate: Base64.encode(authenticate.span)))
        guard let user = reply.user else { throw Refusal(reason: reply.error ?? "") }
        return user
    }

    private static func digits(_ bytes: [UInt8]?) -> String? { bytes.map { Hexadecimal.encode($0.span) } }

    private func token(_ request: Request) throws -> [UInt8] {
        let reply = try ask(request)
        guard let token = reply.token else { throw Refusal(reason: reply.error ?? "") }
        return try Base64.decode(token)
    }

    private func ask(_ request: Request) throws -> Reply {
        let line = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        return try JSONDecoder().decode(Reply.self, from: Data(process.ask(line).utf8))
    }
}
