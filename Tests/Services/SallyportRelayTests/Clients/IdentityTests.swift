import AllowedSites
import ClientAuthentication
import Credentials
import Foundation
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import Secrets
import TestSupport
import Testing

@testable import SallyportRelay

/// Clients with accounts of their own.
@Suite(.inTurn) struct IdentityTests {
    private static func handler(_ parent: Origin, user: String?) throws -> ChallengeHandler {
        guard let user else { return try TestRelay.noAccounts(sites: "\(parent)", schemes: [.ntlm]) }
        return try TestRelay.handler(parent, .ntlm, user: user, password: "of \(user)")
    }

    /// A parent that knows these users.
    private static func parent(_ users: [String]) async throws -> EchoingParent {
        try await EchoingParent(
            Dictionary(
                uniqueKeysWithValues: users.map {
                    (ClientName($0), ClientSecret.password(SharedSecret(utf8: "of \($0)")))
                }
            )
        )
    }

    private static func settings(_ parent: Origin) throws -> RelaySettings {
        var settings = RelaySettings(parents: parent)
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        return settings
    }

    /// How many requests each of 16 connections sends.
    private static let requests = Effort.count("SALLYPORT_IDENTITIES", usual: 1_200) / 16

    @Test("Of many requests of 16 clients on shared connections none gets the account of another", .row(7))
    func many() async throws {
        let users = (0..<16).map { "u\($0)" }
        let parent = try await Self.parent(users)
        defer { parent.stop() }
        var settings = try Self.settings(parent.origin)
        let options = ClientAuthenticationOptions(
            party: .proxy,
            realm: "relay",
            schemes: [.basic],
            allowsCleartextBasic: true
        )
        let clients = users.map { (ClientName("c-\($0)"), ClientSecret.password(SharedSecret(utf8: "p"))) }
        settings.clientAccounts = ClientAccounts(
            options,
            directory: FixedDirectory(Dictionary(uniqueKeysWithValues: clients))
        )
        settings.identities = try users.map { user in
            let current = CurrentHandler(try Self.handler(parent.origin, user: user))
            return RelayIdentity(current, for: [.account(ClientName("C-\(user)"))])
        }
        // Fewer than there are accounts, so that connections are closed for those of others, and requests wait.
        settings.limits.parentConnections = 12
        try await TestRelay.run(settings, Self.handler(parent.origin, user: nil)) { relay, ports in
            let wrong = try await withThrowingTaskGroup(of: [String].self) { group in
                for connection in 0..<16 {
                    group.addTask {
                        let client = try RelayClient(port: ports[0])
                        var wrong: [String] = []
                        for number in 0..<Self.requests {
                            // Each connection speaks for all clients, one after the other.
                            let user = users[(connection * 7 + number * 5 + number / 3) % users.count]
                            let answer = Data("c-\(user):p".utf8).base64EncodedString()
                            let response = try client.get(
                                "http://a.example/\(number)",
                                ["Proxy-Authorization: Basic \(answer)"]
                            )
                            if response.status != 200 || response.body != user {
                                wrong.append("\(user) got \(response.status) \(response.body)")
                                // The relay closes the connection after a refusal of its own.
                                break
                            }
                        }
                        return wrong
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(wrong.isEmpty, "\(wrong.prefix(5))")
            let counters = await relay.counters()
            #expect(counters.requests == 16 * Self.requests && counters.badLogOns == 0)
            #expect(counters.parentConnections > 16)
        }
    }

    @Test("A rule for a client holds for each spelling of its name, and for a rule with another one")
    func spellings() async throws {
        let parent = try await Self.parent(["one", "two"])
        defer { parent.stop() }
        var settings = try Self.settings(parent.origin)
        let options = ClientAuthenticationOptions(
            party: .proxy,
            realm: "relay",
            schemes: [.basic],
            allowsCleartextBasic: true
        )
        settings.clientAccounts = ClientAccounts(options, directory: OneDomain())
        for rule in ["jdoe", "ACME\\JDoe"] {
            settings.identities = [
                RelayIdentity(
                    CurrentHandler(try Self.handler(parent.origin, user: "two")),
                    for: [.account(ClientName(rule))]
                )
            ]
            try await TestRelay.run(settings, Self.handler(parent.origin, user: "one")) { _, ports in
                for (client, user) in [("jdoe", "two"), ("acme\\JDOE", "two"), ("ada", "one")] {
                    let answer = Data("\(client):p".utf8).base64EncodedString()
                    let connection = try RelayClient(port: ports[0])
                    let response = try connection.get(
                        "http://a.example/",
                        ["Proxy-Authorization: Basic \(answer)"]
                    )
                    #expect(response.status == 200 && response.body == user, "\(rule) \(client)")
                }
            }
        }
    }

    @Test("A listener has accounts of its own; other clients have those of the relay, and no others in their place")
    func listener() async throws {
        let parent = try await Self.parent(["one", "two"])
        defer { parent.stop() }
        var settings = try Self.settings(parent.origin)
        let listeners = try ["127.0.0.2:0", "127.0.0.3:0"].map { try ListenAddress(parsing: $0) }
        settings.listeners += listeners
        settings.identities = [
            RelayIdentity(
                CurrentHandler(try Self.handler(parent.origin, user: "two")),
                for: [.listener(listeners[0])]
            ),
            RelayIdentity(
                CurrentHandler(try Self.handler(parent.origin, user: nil)),
                for: [.listener(listeners[1])]
            ),
        ]
        try await TestRelay.run(settings, Self.handler(parent.origin, user: "one")) { _, ports in
            for _ in 0..<3 {
                #expect(try RelayClient(port: ports[0]).get("http://a.example/").body == "one")
                let two = RelayClient(try ByteStream(to: "127.0.0.2", port: ports[1]))
                #expect(try two.get("http://a.example/").body == "two")
                let none = RelayClient(try ByteStream(to: "127.0.0.3", port: ports[2]))
                #expect(try none.get("http://a.example/").status == 502)
            }
        }
    }

    #if os(Linux)
        @Test(
            "The owner of a program decides, also over IPv6, and at a socket for both",
            arguments: [("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("[::]", "127.0.0.1"), ("[::]", "[::1]")]
        )
        func owner(listener: String, host: String) async throws {
            let parent = try await Self.parent(["mine", "others"])
            defer { parent.stop() }
            var settings = try Self.settings(parent.origin)
            settings.listeners = [try ListenAddress(parsing: "\(listener):0")]
            settings.clients = SiteTrie(compiling: try SiteDialect.noProxy.read("127.0.0.1,::1", name: "test").list)
            settings.identities = [
                RelayIdentity(
                    CurrentHandler(try Self.handler(parent.origin, user: "mine")),
                    for: [.owner(UInt32(getuid()))]
                )
            ]
            try await TestRelay.run(settings, Self.handler(parent.origin, user: "others")) { _, ports in
                let address = host.filter { $0 != "[" && $0 != "]" }
                let client = RelayClient(try ByteStream(to: address, port: ports[0]))
                #expect(try client.get("http://a.example/").body == "mine")
                guard getuid() == 0 else { return }
                // Another user of this machine.
                let process = Process()
                let output = Pipe()
                process.executableURL = URL(filePath: "/usr/bin/setpriv")
                process.arguments = [
                    "--reuid=65534", "--clear-groups", "curl", "-sS", "-x", "http://\(host):\(ports[0])",
                    "http://a.example/",
                ]
                process.standardOutput = output
                try process.run()
                process.waitUntilExit()
                #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "others")
            }
        }
    #endif
}

/// A directory whose names without a domain are of ACME.
private struct OneDomain: ClientDirectory {
    func secret(of name: ClientName) async -> ClientSecret? { .password(SharedSecret(utf8: "p")) }

    func canonical(_ name: ClientName) -> ClientName {
        name.domain.isEmpty ? ClientName(user: name.user, domain: "ACME") : name
    }
}
