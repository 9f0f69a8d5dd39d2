import Crypto
import Foundation
import LiveServers
import SwiftASN1
import Testing
import X509

/// NTLM at the relay's own TLS: the attack is an answer that a client has made for another server, whose operator passes it on.
@Suite(.inTurn, .needs(.python, .pyspnego)) struct RelayChannelBindingTests {
    /// The status of a request with NTLM of pyspnego, whose binding is that of the certificate (`own`), of another one (`other`), or none.
    private static let client = """
        import base64, hashlib, re, socket, ssl, sys
        import spnego
        from spnego.channel_bindings import GssChannelBindings
        port, kind, place = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        target, answers, asks = {
            "proxy": ("http://a.example/", "Proxy-Authorization", "Proxy-Authenticate"),
            "server": ("/", "Authorization", "WWW-Authenticate"),
        }[place]
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        stream = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
        leaf = stream.getpeercert(binary_form=True)
        digest = hashlib.sha256(leaf if kind == "own" else leaf + b"x").digest()
        bindings = None if kind == "none" else GssChannelBindings(application_data=b"tls-server-end-point:" + digest)
        client = spnego.client("me", sys.stdin.read(), protocol="ntlm", channel_bindings=bindings)
        def ask(token):
            value = base64.b64encode(token).decode()
            stream.sendall(f"GET {target} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n{answers}: NTLM {value}\\r\\n\\r\\n".encode())
            head = b""
            while b"\\r\\n\\r\\n" not in head:
                head += stream.recv(1)
            text = head.decode()
            stream_body = int((re.search(r"(?i)content-length: (\\d+)", text) or [0, 0])[1])
            while stream_body > 0:
                stream_body -= len(stream.recv(stream_body))
            return text
        challenge = re.search(rf"(?i){asks}: NTLM (\\S+)", ask(client.step()))[1]
        print(ask(client.step(base64.b64decode(challenge))).split()[1])
        """

    /// Where clients meet the relay.
    enum Place: String, CaseIterable {
        case proxy
        /// An address that stands for a server.
        case server
    }

    private func statuses(_ demand: [String], at place: Place = .proxy) async throws -> [String] {
        let parent = try await ScriptedServer { _ in .send(EndlessHeadTests.ok) }
        defer { parent.stop() }
        let folder = try StoreFolder()
        let leaf = try TestAuthority("Relay").leaf("127.0.0.1")
        let certificate = try folder.write(leaf.certificate.serializeAsPEM().pemString, "relay.pem")
        let key = try folder.write(leaf.key.pemRepresentation, "relay.key")
        let clients = try folder.write("me:{PLAIN}hunter2", "clients")
        let listener =
            switch place {
            case .proxy: ["--parent", "\(parent.origin)", "--listen", "https://127.0.0.1:0"]
            case .server: ["--map", "https://127.0.0.1:0=\(parent.origin)"]
            }
        let secrets = ["--client-accounts", clients, "--listen-certificate", certificate, "--listen-key", key]
        let relay = try RunningRelay(
            ["--no-store"] + listener + secrets + demand,
            environment: folder.environment,
            lines: 1,
            listens: false
        )
        defer { relay.send(SIGTERM) }
        return try ["own", "other", "none"].map { kind in
            let run = try SallyportRun(
                ["python3", "-c", Self.client, "\(relay.port)", kind, place.rawValue],
                input: Array("hunter2".utf8),
                program: URL(filePath: "/usr/bin/env")
            )
            #expect(run.status == 0, "\(run.error)")
            return run.output.trimmingCharacters(in: .newlines)
        }
    }

    @Test(
        "An answer for another certificate is refused, and one without a binding is taken",
        arguments: zip(Place.allCases, ["407", "401"])
    )
    func accepted(at place: Place, refusal: String) async throws {
        #expect(try await statuses([], at: place) == ["200", refusal, "200"])
    }

    @Test("required refuses an answer without a binding, too, and off compares none") func required() async throws {
        #expect(try await statuses(["--channel-binding", "required"]) == ["200", "407", "407"])
        #expect(try await statuses(["--channel-binding", "off"]) == ["200", "200", "200"])
    }

    @Test("Where nothing can be bound, required starts no relay") func impossible() throws {
        let folder = try StoreFolder()
        let clients = try folder.write("me:{PLAIN}hunter2", "clients")
        let run = try SallyportRun([
            "relay", "--no-store", "--parent", "a.example:1", "--listen", "127.0.0.1:0", "--client-accounts", clients,
            "--channel-binding", "required",
        ])
        #expect(run.status == 2 && run.error.contains("it has no TLS to bind to"), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1)
    }
}
