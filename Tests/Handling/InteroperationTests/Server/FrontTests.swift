import Crypto
import Foundation
import LiveServers
import NTLM
import Testing
import WireFormat

/// HTTP clients of other people that log in to our server, through a small web server that `front.py` plays.
@Suite("HTTP clients of our server", .inTurn, .needs(.curl, .cntlm, .python, .openssl, .pyspnego, .requestsNTLM))
struct FrontTests {
    private static var now: FileTime { FileTime(unixSeconds: Int64(Date().timeIntervalSince1970)) }

    /// A client that is run, and what it can.
    struct Client: CustomTestStringConvertible {
        let name: String
        let door: String
        /// curl and cntlm write no integrity code, which is due after a server's clock (MS-NLMP 3.1.5.1.2).
        var writesCode = true
        /// What comes of a name beyond ASCII; `nil` when it gets in.
        var unicodeError: ServerHandshakeError?
        var testDescription: String { "\(name), \(door)" }
    }

    /// curl offers no Unicode, and writes the bytes of UTF-8 into names that are in a code page.
    static let widens = ServerHandshakeError.unreadableName(.userName)
    static let clients = [
        Client(name: "curl", door: "http", writesCode: false, unicodeError: widens),
        Client(name: "curl", door: "https", writesCode: false, unicodeError: widens),
        Client(name: "curl", door: "proxy", writesCode: false, unicodeError: widens),
        // cntlm widens the bytes of UTF-8 one by one to UTF-16, which is the name of somebody else.
        Client(name: "cntlm", door: "proxy", writesCode: false, unicodeError: .rejected),
        Client(name: "requests_ntlm", door: "http"),
        Client(name: "requests_ntlm", door: "https"),
        Client(name: "pyspnego", door: "http"),
    ]

    /// What came of one run of a client.
    private struct Outcome: Equatable {
        var status: String
        var user: String?
        var error: ServerHandshakeError?

        static func entered(_ user: String) -> Outcome { Outcome(status: "200", user: user) }
        static func refused(_ error: ServerHandshakeError, _ client: Client) -> Outcome {
            Outcome(status: client.door == "proxy" ? "407" : "401", error: error)
        }
    }

    private enum Binding { case off, required, another }

    private func run(
        _ client: Client,
        domain: String = "ACME",
        user: String = "jdoe",
        password: String = "Correct-Horse",
        sendsTimestamp: Bool? = nil,
        binding: Binding = .off
    ) throws -> Outcome {
        let front = try HelperProcess([
            "LC_ALL=C.UTF-8", "python3", Script.interoperation("Server/front.py"), client.name, client.door, domain,
            user, password, "\(ServerPort.take())",
        ])
        var options = ServerHandshake.Options(
            computerName: "WIKI",
            domainName: "ACME",
            sendsTimestamp: sendsTimestamp ?? client.writesCode
        )
        let hashes = try ServerScript.accounts.mapValues { try NTHash(password: $0) }
        var servers: [String: ServerHandshake] = [:]
        var outcome = Outcome(status: "")
        while true {
            let words = try front.readLine().split(separator: " ").map(String.init)
            switch words.first {
            case "certificate":
                // RFC 5929 4.1: the certificate is signed with SHA-384.
                var certificate = try Hexadecimal.decode(words[1])
                if binding == .another { certificate[0] ^= 1 }
                let hash = [UInt8](SHA384.hash(data: certificate))
                let channel = ChannelBindings(tlsServerEndPoint: hash.span)
                if binding != .off { options.channelBindings = .required([channel]) }
            case "token":
                var server = servers[words[1]] ?? ServerHandshake(options: options)
                let token = try Base64.decode(words[2])
                var reply = "no"
                do throws(ServerHandshakeError) {
                    if token.count > 8, token[8] == 1 {
                        let challenge = try server.challenge(to: token.span, now: Self.now)
                        reply = Base64.encode(challenge.span)
                    } else {
                        outcome.user = try server.verify(authenticate: token.span, now: Self.now) { user, domain in
                            domain == "ACME" ? hashes[user] : nil
                        }.user
                        reply = "ok"
                    }
                } catch { outcome.error = error }
                servers[words[1]] = server
                try front.send(reply)
            case "status":
                outcome.status = words[1]
                return outcome
            default:
                throw PeerFailure(what: "front.py said \(words)")
            }
        }
    }

    @Test("Right and wrong passwords, and no domain", arguments: clients) func passwords(client: Client) throws {
        #expect(try run(client) == .entered("jdoe"))
        #expect(try run(client, password: "Wrong-Horse") == .refused(.rejected, client))
        #expect(try run(client, domain: "") == .refused(.rejected, client))
    }

    @Test("Names and passwords beyond ASCII", arguments: clients) func unicode(client: Client) throws {
        let found = try run(client, user: "łukasz", password: "Żółw-Ü")
        #expect(found == (client.unicodeError.map { .refused($0, client) } ?? .entered("łukasz")))
        // A password alone: whoever widens bytes makes another one of it.
        let password = try run(client, user: "ada", password: "Zażółć")
        #expect(password == (client.unicodeError == nil ? .entered("ada") : .refused(.rejected, client)))
    }

    @Test("After our clock an integrity code is due", arguments: clients) func integrityCode(client: Client) throws {
        let found = try run(client, sendsTimestamp: true)
        #expect(found == (client.writesCode ? .entered("jdoe") : .refused(.messageIntegrityCodeMissing, client)))
    }

    @Test("Channel bindings that we demand: right, of another certificate, none") func bindings() throws {
        let binds = Client(name: "requests_ntlm", door: "https")
        #expect(try run(binds, binding: .required) == .entered("jdoe"))
        #expect(try run(binds, binding: .another) == .refused(.channelBindingsMismatch, binds))
        let none = Client(name: "requests_ntlm without bindings", door: "https")
        #expect(try run(none, binding: .required) == .refused(.channelBindingsMissing, none))
        let curl = Client(name: "curl", door: "https")
        #expect(try run(curl, sendsTimestamp: false, binding: .required) == .refused(.channelBindingsMissing, curl))
    }
}
