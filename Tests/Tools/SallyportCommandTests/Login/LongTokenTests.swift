import CredentialStores
import Foundation
import Hostnames
import LiveServers
import Secrets
import Synchronization
import Testing

/// Tokens of up to 64 KiB, from the service into the store.
@Suite(.inTurn, .serialized) struct LongTokenTests {
    /// A service that grants a token of `count` bytes to the application itself.
    private func service(_ count: Int, scope: String = "read") async throws -> ScriptedServer {
        let address = Address()
        let server = try await ScriptedServer { request in
            func json(_ text: String) -> ScriptedServer.Reply {
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                )
            }
            if request.head.contains("/.well-known/") {
                let url = address.url.withLock { $0 }
                return json(#"{"issuer":"\#(url)","token_endpoint":"\#(url)/token"}"#)
            }
            guard request.head.hasPrefix("POST /token") else {
                return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            let token = String(repeating: "t", count: count)
            return json(#"{"access_token":"\#(token)","token_type":"Bearer","expires_in":3600,"scope":"\#(scope)"}"#)
        }
        address.url.withLock { $0 = "\(server.origin)" }
        return server
    }

    private final class Address: Sendable { let url = Mutex("") }

    private func folder(_ server: ScriptedServer) throws -> (RequestFolder, options: [String]) {
        let files = try RequestFolder()
        try files.write("secret", "secret")
        let account = """
            version: 1
            sites: ["\(server.origin)"]
            schemes: [bearer]
            accounts:
              - name: machine
                sites: ["\(server.origin)"]
                cleartext: true
                oauth:
                  issuer: \(server.origin)
                  client: app
                  grant: client-credentials
                  secret: { file: secret }
            """
        try files.write(account, "profile.yaml")
        return (files, ["--profile", files.path("profile.yaml")] + files.key)
    }

    @Test("A token of 20 KB, and of 64 KiB, is kept when the command says so", arguments: [20_000, 65_536])
    func kept(count: Int) async throws {
        let server = try await service(count)
        defer { server.stop() }
        let (files, options) = try folder(server)
        let login = try await files.live(["login", "machine"] + options)
        #expect(login.status == 0 && login.output.hasPrefix("signed in: 'machine'"), "\(login.error)")
        let shown = try await files.live(["token", "show", "machine", "--reveal", "--json"] + options)
        #expect(shown.status == 0, "\(shown.error)")
        #expect((try shown.json()["secret"] as? String)?.count == count)
    }

    @Test("A longer one is refused, in one line") func tooLong() async throws {
        let server = try await service(65_537)
        defer { server.stop() }
        let (files, options) = try folder(server)
        let login = try await files.live(["login", "machine"] + options)
        #expect(
            login.status != 0 && login.output.isEmpty && login.error.contains("longer than 65536 bytes"),
            "\(login.error)"
        )
    }

    @Test("A store that is full: login ends with 2, and get says it and goes on") func full() async throws {
        let server = try await service(100)
        defer { server.stop() }
        let (files, options) = try folder(server)
        let path = files.path("store")
        try StoreKey.makeKeyFile(at: files.path("full-key"))
        let key = StoreKey.keyFile(path: files.path("full-key"))
        let store = try await SealedFileStore.create(at: path, key: key, now: 1)
        for number in 0..<CredentialLimits.recordsPerHost {
            let name = CredentialName(space: .origin(server.origin), user: "user\(number)")
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: "p"), created: 1))
        }
        let full = [options[0], options[1], "--store", path, "--key-file", files.path("full-key")]
        let login = try await files.live(["login", "machine"] + full)
        #expect(login.status == 2 && login.output.isEmpty, "\(login.output)")
        #expect(
            login.error.contains("the store has \(CredentialLimits.recordsPerHost) records for this host: remove some"),
            "\(login.error)"
        )
        #expect(login.error.split(separator: "\n").count == 1)
        let get = try await files.live(["get", "\(server.origin)/x"] + full)
        #expect(get.status == 0 && get.output == "ok", "\(get.error)")
        #expect(get.error.contains("'machine': the new token is used, and not kept: "), "\(get.error)")
    }
}
