import ClientAuthentication
import Foundation
import Hostnames
import LiveServers
import NIOCore
import NTLM
import Sallyport
import SallyportRelay
import Secrets
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Strangers without an account who guess at a relay, and the users beside them.
@Suite(.inTurn) struct GuessingStrangersTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let right = field("jdoe", "Correct-Horse")

    private static func field(_ user: String, _ password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    private static func settings(_ parent: Origin) throws -> RelaySettings {
        var settings = RelaySettings(parents: parent)
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        let options = ClientAuthenticationOptions(
            party: .proxy,
            realm: "relay",
            schemes: [.basic],
            ntlm: ServerHandshake.Options(computerName: "RELAY"),
            allowsCleartextBasic: true
        )
        let password = ClientSecret.password(SharedSecret(utf8: "Correct-Horse"))
        settings.clientAccounts = ClientAccounts(options, directory: FixedDirectory([ClientName("jdoe"): password]))
        return settings
    }

    private static func run(_ body: (RelaySettings) async throws -> Void) async throws {
        let parent = try await ScriptedServer { _ in .send(ok) }
        defer { parent.stop() }
        try await body(settings(parent.origin))
    }

    private static func status(_ client: RelayClient, _ field: String) throws -> Int {
        try client.get("http://a.example/", ["Proxy-Authorization: \(field)"]).status
    }

    @Test("A user who has logged on is let in while a stranger at the same address guesses at invented accounts")
    func sameAddress() async throws {
        try await Self.run { settings in
            try await TestRelay.run(settings) { _, ports in
                #expect(try Self.status(RelayClient(port: ports[0]), Self.right) == 200)
                let stranger = try RelayClient(port: ports[0])
                let statuses = try (0..<120).map { try Self.status(stranger, Self.field("invented-\($0)", "x")) }
                #expect(statuses == [Int](repeating: 407, count: 100) + [Int](repeating: 429, count: 20))
                #expect(try Self.status(RelayClient(port: ports[0]), Self.right) == 200)
            }
        }
    }

    @Test("A stranger beside a user at one address gets ten guesses, and the user's connection goes on")
    func interleaved() async throws {
        try await Self.run { settings in
            try await TestRelay.run(settings) { _, ports in
                let user = try RelayClient(port: ports[0])
                let stranger = try RelayClient(port: ports[0])
                var guesses = 0
                while guesses < 50 {
                    #expect(try Self.status(user, Self.right) == 200)
                    guard try Self.status(stranger, Self.field("jdoe", "guess-\(guesses)")) == 407 else { break }
                    guesses += 1
                }
                #expect(guesses == 10)
                for _ in 0..<3 { #expect(try Self.status(user, Self.right) == 200) }
                // Without a connection that has logged on nothing tells the user from the stranger.
                #expect(try Self.status(RelayClient(port: ports[0]), Self.right) == 429)
                // A wrong password ends the privilege of the connection.
                #expect(try Self.status(user, Self.field("jdoe", "x")) == 407)
                #expect(try Self.status(user, Self.right) == 429)
            }
        }
    }

    @Test("Guesses at a proxy's listener and at one that stands for a server are counted together")
    func bothListeners() async throws {
        try await Self.run { settings in
            var settings = settings
            let server = settings.parents[0].origin
            settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server)]
            try await TestRelay.run(settings) { _, ports in
                let (proxy, mapped) = (try RelayClient(port: ports[0]), try RelayClient(port: ports[1]))
                var guesses = 0
                for number in 0..<20 {
                    let field = Self.field("jdoe", "guess-\(number)")
                    let status =
                        number % 2 == 0
                        ? try Self.status(proxy, field)
                        : try mapped.ask("/", host: "127.0.0.1", ["Authorization: \(field)"]).status
                    if status != 429 { guesses += 1 }
                }
                #expect(guesses == 10)
            }
        }
    }

    #if os(Linux)
        @Test("Another user of this machine who guesses locks out himself alone", .enabled(if: getuid() == 0))
        func otherUser() async throws {
            try await Self.run { settings in
                try await TestRelay.run(settings) { _, ports in
                    let output = try Self.asOtherUser(
                        """
                        for n in $(seq 110); do
                            [ $n = 1 ] || echo next
                            printf 'url = http://a.example/\\noutput = /dev/null\\nwrite-out = "%%{http_code} "\\n'
                            printf 'proxy = http://127.0.0.1:\(ports[0])\\nproxy-user = invented-%s:x\\n' $n
                        done >list
                        curl -sS -K list
                        """
                    )
                    #expect(output.hasPrefix("407 ") && output.hasSuffix("429 "), "\(output)")
                    // A user who has never logged on from here.
                    #expect(try Self.status(RelayClient(port: ports[0]), Self.right) == 200)
                }
            }
        }

        private static func asOtherUser(_ script: String) throws -> String {
            let folder = TemporaryFolder.place("stranger")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
            return try ClientShell(folder: folder, proxy: nil, server: "").run(
                "setpriv --reuid=65534 --clear-groups /bin/sh -c '\(script.replacing("'", with: "'\\''"))'"
            )
        }
    #endif
}
