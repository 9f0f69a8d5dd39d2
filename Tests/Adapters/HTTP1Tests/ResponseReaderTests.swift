import HTTP1
import NIOCore
import TestSupport
import Testing

/// Responses as their bytes come, of any cut. What recipients make of each is what curl 7.88 does
/// (`Tests/Services/Helpers/response_answers.py`), and where it guesses, RFC 9112 decides.
@Suite struct ResponseReaderTests {
    /// What a reader finds in parts, and in the end of the connection if `closes`.
    private struct Found: Equatable {
        var interim = 0
        var status: Int?
        var body = ""
        var hasEnded = false
        var defect: HeadDefect?

        init(_ parts: [[UInt8]], to method: RequestHead.Method = .idempotent, closes: Bool = false) {
            var reader = ResponseReader()
            reader.begin(method)
            do throws(HeadDefect) {
                for part in parts {
                    reader.append(ByteBuffer(bytes: part))
                    while let part = try reader.next() { take(part) }
                }
            } catch {
                defect = error
            }
            if closes, let end = reader.connectionEnded() { take(end) }
        }

        private init(interim: Int) {
            self.interim = interim
            (status, body, hasEnded) = (200, "ok", true)
        }

        static func ok(interim: Int) -> Found { Found(interim: interim) }

        private mutating func take(_ part: ResponseReader.Part) {
            switch part {
            case .interim: interim += 1
            case .head(let head, _): status = head.status
            case .data(let data): body += String(buffer: data)
            case .end: hasEnded = true
            }
        }
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let two = "Content-Length: 2\r\n\r\nok"

    @Test(
        "Each form that a recipient may take is read, in one piece and byte by byte",
        arguments: [
            "HTTP/1.1 200 OK\r\n\(two)", "HTTP/1.1 200\r\n\(two)", "HTTP/1.1 200 \r\n\(two)",
            "HTTP/1.1 200\tOK\r\n\(two)",
            "HTTP/1.1 200 OK\nX: y\nContent-Length: 2\n\nok", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\(two)", "HTTP/1.1 200 OK\r\nX: y\rZ: z\r\n\(two)",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(two)", "HTTP/1.1 200 OK\r\nContent-Length: 2, 02\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\(two)", "HTTP/1.0 200 OK\r\n\(two)",
            chunked + "2\r\nok\r\n0\r\n\r\n", chunked + "1\r\no\r\n1\r\nk\r\n0\r\n\r\n", chunked + "2\nok\n0\n\n",
            chunked + "2 \t\r\nok\r\n0 ;x=y\r\nX-T : 1\r\n\r\n",
            chunked + "00000002\r\nok\r\n000\r\nT: 1\r\n 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            // RFC 9110 sections 6.5.1 and 7.6.1.
            chunked + "2\r\nok\r\n0\r\nSet-Cookie: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nConnection: Content-Length\r\n\(two)",
            "HTTP/1.1 200 OK\r\nConnection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            // RFC 9110 section 5.6.1.2: a recipient ignores empty elements.
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: ,chunked,\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked \t\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\(two)",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\(two)",
        ]
    ) func lenient(response: String) {
        let bytes = Array(response.utf8)
        for parts in [[bytes], bytes.map { [$0] }] {
            let found = Found(parts)
            #expect(found == Found.ok(interim: response.contains("103") ? 2 : 0))
        }
    }

    @Test(
        "What no recipient may guess at is one defect, however it comes",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", .length),
            ("HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n", .length),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .coding),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n", .coding),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", .coding),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .coding),
            ("HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n", .fieldName), ("HTTP/1.1 200 OK\r\n X: 1\r\n\r\n", .folded),
            ("HTTP/1.1 200 OK\r\nX: \0\r\n\r\n", .fieldValue), ("HTTP/1.1  200 OK\r\n\r\n", .statusLine),
            ("HTTP/1.1 099 OK\r\n\r\n", .statusLine), ("\r\nHTTP/1.1 200 OK\r\n\r\n", .statusLine),
            ("SSH-2.0", .statusLine), ("\u{16}\u{3}", .statusLine),
            (chunked + "0x2\r\n", .chunk), (chunked + " 2\r\n", .chunk), (chunked + "2\r\nokk", .chunk),
            (chunked + "0\r\nX Y: 2\r\n\r\n", .trailer),
            (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_025), .tooManyInterimResponses),
            ("HTTP/1.1 200 OK\r\n\(String(repeating: "X: y\r\n", count: 1_025))\r\n", .tooManyFields),
            ("HTTP/1.1 200 \(String(repeating: "a", count: 65_536))", .headTooLong),
            ("HTTP/1.1 200 OK\r\n\(two)more", .unaskedBytes),
        ] as [(String, HeadDefect)]
    ) func defects(response: String, defect: HeadDefect) {
        let bytes = Array(response.utf8)
        for parts in bytes.count > 10_000 ? [[bytes]] : [[bytes], bytes.map { [$0] }] {
            #expect(Found(parts).defect == defect)
        }
    }

    @Test(
        "The data before a malformed chunk is delivered, in one piece and byte by byte, and the body has no end",
        arguments: ["no size", "0x1\r\n", "5 5\r\nhello\r\n", "2\r\nokay", "0\r\nX Y: z\r\n\r\n", "2;\u{0}\r\nok\r\n"]
    ) func beforeMalformed(rest: String) {
        let bytes = Array("\(Self.chunked)2\r\nok\r\n\(rest)".utf8)
        let expected = rest == "2\r\nokay" ? "okok" : "ok"
        for parts in [[bytes], bytes.map { [$0] }] {
            let found = Found(parts, closes: true)
            #expect(found.body == expected && found.defect != nil && !found.hasEnded)
        }
    }

    @Test("A body without a length ends with its connection, and no other body does") func ends() {
        let endless = Array("HTTP/1.1 200 OK\r\n\r\nok".utf8)
        #expect(!Found([endless]).hasEnded)
        #expect(Found([endless], closes: true).hasEnded && Found([endless], closes: true).body == "ok")
        for cut in [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", Self.chunked + "2\r\nok\r\n0\r\n",
        ] {
            #expect(!Found([Array(cut.utf8)], closes: true).hasEnded)
        }
    }

    @Test(
        "Responses that have no body have none, whatever their fields say",
        arguments: [
            ("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", .idempotent),
            ("HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n", .idempotent),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .head),
            // RFC 9110 section 9.3.6.
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", .connect),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .connect),
            ("HTTP/1.1 200 OK\r\nX : 1\r\nContent-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n", .connect),
        ] as [(String, RequestHead.Method)]
    ) func bodiless(response: String, method: RequestHead.Method) {
        let found = Found([Array(response.utf8)], to: method)
        #expect(found.status != nil && found.hasEnded && found.body.isEmpty && found.defect == nil)
    }

    @Test("A status beyond 599 is passed on (RFC 9110 section 15)") func unknownStatus() {
        #expect(Found([Array("HTTP/1.1 999 Denied\r\n\(Self.two)".utf8)]).status == 999)
    }

    @Test("Any bytes end alike in one piece and byte by byte, and crash nothing") func mutated() {
        let responses = [
            "HTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n z\r\nContent-Length : 2, 2\r\nConnection: close, x\r\n\r\nok",
            Self.chunked + "2 ;x=\"y\"\r\nok\r\n0\r\nX-T : 1\r\nSet-Cookie: b\r\n\r\n",
            "HTTP/1.0 401 No\nTransfer-Encoding: ,chunked\n\n0\n\n",
        ].map { Array($0.utf8) }
        let bytes = Array(" \t\r\n:;,=0123456789abcdefxHTP/.-\"\0\u{1}\u{7F}".utf8) + [0x80, 0xFF]
        for seed in 1...3_000 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var response = responses[Int.random(in: 0..<responses.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<response.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: response[place] = bytes.randomElement(using: &random) ?? 0
                case 1: response.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                default: response.remove(at: place)
                }
            }
            let (whole, bytewise) = (Found([response], closes: true), Found(response.map { [$0] }, closes: true))
            #expect(whole.defect == bytewise.defect && whole.status == bytewise.status, "seed \(seed)")
            #expect(whole.hasEnded == bytewise.hasEnded && whole.interim == bytewise.interim, "seed \(seed)")
            #expect(whole.body == bytewise.body, "seed \(seed)")
        }
    }
}
