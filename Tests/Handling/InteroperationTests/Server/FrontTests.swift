import Crypto
import Foundation
import LiveServers
import NTLM
import TestSupport
import Testing
import WireFormat

/// HTTP clients of other people that log in to our server, through a small web server that `front.py` plays.
@Suite("HTTP clients of our server", .inTurn, .needs(.curl, .cntlm, .python, .openssl, .pyspnego, .requestsNTLM))
struct FrontTests {
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

    /// `front.py` with one client, which logs on several times, because its start takes longer than a log-on.
    private final class Front {
        let client: Client
        private let process: HelperProcess
        private var certificate: [UInt8] = []

        init(_ client: Client) throws {
            self.client = client
            process = try HelperProcess([
                "LC_ALL=C.UTF-8", "python3", HelperFile.path("front.py"), client.name, client.door,
            ])
        }

        func run(
            domain: String = "ACME",
            user: String = "jdoe",
            password: String = "Correct-Horse",
            sendsTimestamp: Bool? = nil,
            binding: Binding = .off
        ) throws -> Outcome {
            let request = try JSONEncoder().encode([domain, user, password, "\(ServerPort.take())"])
            try process.send(String(decoding: request, as: UTF8.self))
            var options = ServerHandshake.Options(
                computerName: "WIKI",
                domainName: "ACME",
                sendsTimestamp: sendsTimestamp ?? client.writesCode
            )
            let hashes = try ServerScript.accounts.mapValues { try NTHash(password: $0) }
            var servers: [String: ServerHandshake] = [:]
            var outcome = Outcome(status: "")
            while true {
                let words = try process.readLine().split(separator: " ").map(String.init)
                switch words.first {
                case "certificate":
                    certificate = try Hexadecimal.decode(words[1])
                case "token":
                    if binding != .off { options.channelBindings = .required([channel(binding)]) }
                    var server = servers[words[1]] ?? ServerHandshake(options: options)
                    let token = try Base64.decode(words[2])
                    var reply = "no"
                    do throws(ServerHandshakeError) {
                        if token.count > 8, token[8] == 1 {
                            let challenge = try server.challenge(to: token.span, now: now)
                            reply = Base64.encode(challenge.span)
                        } else {
                            outcome.user = try server.verify(authenticate: token.span, now: now) { user, domain in
                                domain == "ACME" ? hashes[user] : nil
                            }.user
                            reply = "ok"
                        }
                    } catch { outcome.error = error }
                    servers[words[1]] = server
                    try process.send(reply)
                case "status":
                    outcome.status = words[1]
                    return outcome
                default:
                    throw PeerFailure(what: "front.py said \(words)")
                }
            }
        }

        /// RFC 5929 4.1: the certificate is signed with SHA-384.
        private func channel(_ binding: Binding) -> ChannelBindings {
            var bytes = certificate
            if binding == .another { bytes[0] ^= 1 }
            let hash = [UInt8](SHA384.hash(data: bytes))
            return ChannelBindings(tlsServerEndPoint: hash.span)
        }

        private var now: FileTime { FileTime(unixSeconds: Int64(Date().timeIntervalSince1970)) }
    }

    @Test("Right and wrong passwords, and no domain", arguments: clients) func passwords(client: Client) throws {
        let front = try Front(client)
        #expect(try front.run() == .entered("jdoe"))
        #expect(try front.run(password: "Wrong-Horse") == .refused(.rejected, client))
        #expect(try front.run(domain: "") == .refused(.rejected, client))
    }

    @Test("Names and passwords beyond ASCII", arguments: clients) func unicode(client: Client) throws {
        let front = try Front(client)
        let found = try front.run(user: "łukasz", password: "Żółw-Ü")
        #expect(found == (client.unicodeError.map { .refused($0, client) } ?? .entered("łukasz")))
        // A password alone: whoever widens bytes makes another one of it.
        let password = try front.run(user: "ada", password: "Zażółć")
        #expect(password == (client.unicodeError == nil ? .entered("ada") : .refused(.rejected, client)))
    }

    @Test("After our clock an integrity code is due", arguments: clients) func integrityCode(client: Client) throws {
        let found = try Front(client).run(sendsTimestamp: true)
        #expect(found == (client.writesCode ? .entered("jdoe") : .refused(.messageIntegrityCodeMissing, client)))
    }

    @Test("Channel bindings that we demand: right, of another certificate, none") func bindings() throws {
        let binds = Client(name: "requests_ntlm", door: "https")
        let front = try Front(binds)
        #expect(try front.run(binding: .required) == .entered("jdoe"))
        #expect(try front.run(binding: .another) == .refused(.channelBindingsMismatch, binds))
        let none = Client(name: "requests_ntlm without bindings", door: "https")
        #expect(try Front(none).run(binding: .required) == .refused(.channelBindingsMissing, none))
        let curl = Client(name: "curl", door: "https")
        let refused = try Front(curl).run(sendsTimestamp: false, binding: .required)
        #expect(refused == .refused(.channelBindingsMissing, curl))
    }
}
