import Foundation
import Hostnames
import LiveServers
import NIOCore
import SallyportRelay
import TestSupport
import Testing

/// Clients that speak another protocol than HTTP/1. Each waits minutes for an answer, and gets one at once.
@Suite(.inTurn) struct ForeignClientsTests {
    private static func run(
        _ listeners: [String] = ["127.0.0.1:0"],
        _ body: (Relay, [UInt16]) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder.place("foreign")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try MappedServer().write(to: folder)
        var settings = RelaySettings(parents: try Origin(parsing: "http://127.0.0.1:1"))
        settings.listeners = try listeners.map { try ListenAddress(parsing: $0) }
        settings.certificate = try ListenerCertificate(chain: files.certificate, key: files.key)
        try await TestRelay.run(settings) { relay, ports in try await body(relay, ports) }
    }

    /// The answer to the first bytes of a connection, up to its end.
    private static func answer(to bytes: [UInt8], port: UInt16) throws -> [UInt8] {
        let stream = try ByteStream(port: port)
        try stream.send(bytes)
        return try RelayClient(stream).readToEnd()
    }

    @Test("TLS to an address without it, PROXY headers and other bytes get a response of HTTP/1 with the remedy")
    func textAnswers() async throws {
        // A ClientHello as OpenSSL begins it, and one of SSL 2 (RFC 5246 appendix E.2).
        let cases: [([UInt8], String)] = [
            ([0x16, 3, 1, 1, 0, 1], "speaks TLS"), ([0x16], "speaks TLS"), ([0x80, 0x2e, 1, 3, 1], "speaks TLS"),
            (Array("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET http://a/ HTTP/1.1\r\n".utf8), "PROXY protocol"),
            ([0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a, 0x21], "PROXY protocol"),
            // RFC 5321 section 4.1.1.1, RFC 1939 section 7, RFC 959 section 4.1.1, and an inline command of Redis.
            (Array("EHLO x\r\n".utf8), "does not speak HTTP"), (Array("USER a\r\n".utf8), "does not speak HTTP"),
            (Array("QUIT\r\n".utf8), "does not speak HTTP"), (Array("PING\r\n".utf8), "does not speak HTTP"),
            (Array("\r\nEHLO x\r\n".utf8), "does not speak HTTP"),
            (Array("a1 CAPABILITY\r\n".utf8), "does not speak HTTP"),
            ([3, 0, 0, 0x13, 0x0e], "does not speak HTTP"), ([0xff, 0xfd, 0x18], "does not speak HTTP"),
        ]
        try await Self.run { relay, ports in
            for (bytes, text) in cases {
                let answer = String(decoding: try Self.answer(to: bytes, port: ports[0]), as: UTF8.self)
                #expect(
                    answer.hasPrefix("HTTP/1.1 400 sallyport relay: client: ") && answer.contains(text),
                    "\(answer)"
                )
            }
            let refusals = await relay.counters().refusals
            #expect(refusals == cases.count)
        }
    }

    @Test("SOCKS clients get a refusal in their protocol") func socks() async throws {
        try await Self.run { _, ports in
            // SOCKS4: version 0, code 91. SOCKS5 (RFC 1928 section 3): no method is acceptable; or method 0, and for the request
            // "connection not allowed by ruleset".
            let four = try Self.answer(to: [4, 1, 0, 80, 192, 0, 2, 1, 0], port: ports[0])
            #expect(four == [0, 91, 0, 0, 0, 0, 0, 0])
            let withPassword = try Self.answer(to: [5, 1, 2], port: ports[0])
            #expect(withPassword == [5, 0xff])
            let five = try Self.answer(to: [5, 2, 2, 0], port: ports[0])
            #expect(five.prefix(4) == [5, 0, 5, 2])
        }
    }

    @Test("HTTP/2 without a negotiation gets GOAWAY with HTTP_1_1_REQUIRED, and SSH a disconnect")
    func framedAnswers() async throws {
        try await Self.run { _, ports in
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let frames = try Self.answer(to: preface, port: ports[0])
            // RFC 9113 sections 6.5 and 6.8: SETTINGS without an entry, GOAWAY with the last stream 0 and error 13.
            #expect(frames.prefix(9) == [0, 0, 0, 4, 0, 0, 0, 0, 0] && frames[12] == 7)
            #expect(frames[18..<26] == [0, 0, 0, 0, 0, 0, 0, 13])
            #expect(Int(frames[10]) << 8 | Int(frames[11]) == frames.count - 18)
            let packet = try Self.answer(to: Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8), port: ports[0])
            let banner = "SSH-2.0-sallyport\r\n"
            #expect(packet.starts(with: Array(banner.utf8)))
            let message = packet.dropFirst(banner.utf8.count)
            // RFC 4253 sections 6 and 11.1: the length of the packet, its padding, and SSH_MSG_DISCONNECT.
            #expect(message.count % 8 == 0 && Int(message[message.startIndex + 3]) == message.count - 4)
            #expect(message[message.startIndex + 5] == 1)
        }
    }

    @Test("HTTP without TLS, and SOCKS, at an address with TLS are answered as they are") func plainAtTLS() async throws
    {
        try await Self.run(["https://127.0.0.1:0"]) { _, ports in
            for text in [
                "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", "CONNECT a.example:443 HTTP/1.1\r\n",
            ] {
                let answer = String(decoding: try Self.answer(to: Array(text.utf8), port: ports[0]), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("write https://"), "\(answer)")
            }
            let five = try Self.answer(to: [5, 1, 0], port: ports[0])
            #expect(five.prefix(4) == [5, 0, 5, 2])
        }
    }

    @Test("A method that begins like another protocol is one of HTTP") func methods() async throws {
        try await Self.run { _, ports in
            for method in ["PROPFIND", "PRI", "PROXY-GET", "SSH"] {
                let client = try RelayClient(port: ports[0])
                // Byte by byte, so that each beginning is seen alone. An origin-form target is refused by its own rule.
                for byte in "\(method) /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8 { try client.stream.send([byte]) }
                let response = try client.readResponse()
                #expect(response.body.contains("the target is neither"), "\(response)")
            }
        }
    }

    @Test("curl and OpenSSL show what is wrong", .needs(.curl)) func programs() async throws {
        try await Self.run(["127.0.0.1:0", "https://127.0.0.1:0"]) { _, ports in
            let folder = TemporaryFolder.place("programs")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let shell = ClientShell(folder: folder, proxy: nil, server: "http://a.example/")
            let (plain, secure) = (ports[0], ports[1])
            let output = try shell.run(
                """
                curl -sS -x socks4://127.0.0.1:\(plain) $SERVER; echo socks4 $?
                curl -sS -x socks5h://127.0.0.1:\(plain) $SERVER; echo socks5 $?
                curl -sS -k -x https://127.0.0.1:\(plain) $SERVER; echo https $?
                curl -sS --http2-prior-knowledge http://127.0.0.1:\(plain)/; echo h2 $?
                curl -sS -x http://127.0.0.1:\(secure) $SERVER; echo plain $?
                openssl s_client -connect 127.0.0.1:\(plain) </dev/null; echo openssl $?
                """
            )
            // curl: 97 is CURLE_PROXY, 35 CURLE_SSL_CONNECT_ERROR, 16 and 92 errors of HTTP/2.
            for line in ["socks4 97", "socks5 97", "https 35", "plain 0", "openssl 1"] {
                #expect(output.contains(line), "\(output)")
            }
            #expect(output.contains("h2 92") || output.contains("h2 16"), "\(output)")
            #expect(output.contains("wrong version number"), "\(output)")
            #expect(output.contains("write https://"), "\(output)")
        }
    }
}
