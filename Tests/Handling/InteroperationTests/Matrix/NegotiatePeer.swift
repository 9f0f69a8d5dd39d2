import Foundation
import LiveServers
import TestSupport
import WireFormat

/// An implementation of SPNEGO by other people, played by `negotiate_peer.py`.
final class NegotiatePeer {
    enum Kind: String, CaseIterable {
        case pyspnego
        /// MIT Kerberos with gss-ntlmssp.
        case gssapi
        /// Tokens alone.
        case impacket
    }

    /// What the peer answered instead of a token.
    struct Refusal: Error { let reason: String }

    struct Request: Encodable {
        var user, domain, password, bindings, accept, token, describe: String?
        var mechanisms: [String]?
        var inner, code: String?
        var state: Int?
    }

    struct Reply: Decodable, Equatable {
        var token, user, error: String?
        var complete: Bool?
        var mechanisms: [String]?
        var inner, code: String?
        var state: Int?

        /// The token in bytes; `nil` if there is none.
        func bytes() throws -> [UInt8]? { try token.map { try Base64.decode($0) } }
    }

    private let process: HelperProcess

    init(_ kind: Kind) throws {
        // Debian's module belongs to Debian's interpreter; gss-ntlmssp compares names in the locale of its process.
        let interpreter = kind == .gssapi ? "/usr/bin/python3" : "python3"
        process = try HelperProcess([
            "LC_ALL=C.UTF-8", interpreter, "-W", "ignore", HelperFile.path("negotiate_peer.py"),
            kind.rawValue,
            ServerScript.domain, ServerScript.accountList,
        ])
    }

    func ask(_ request: Request) throws -> Reply {
        let line = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        let reply = try JSONDecoder().decode(Reply.self, from: Data(process.ask(line).utf8))
        if let error = reply.error { throw Refusal(reason: error) }
        return reply
    }
}
