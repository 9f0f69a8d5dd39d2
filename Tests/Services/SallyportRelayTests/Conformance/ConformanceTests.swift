import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportClient
import SallyportRelay
import TestSupport
import Testing

/// What clients and parents may send, by the specifications and by published attacks; each case names its source.
@Suite(.inTurn) struct ConformanceTests {
    @Test("Each request is refused, or reaches the parent as it was meant, and the stream stays in step")
    func requests() async throws {
        let parent = try await ScriptedServer(Self.reply)
        defer { parent.stop() }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, group: group) { relay in
            // The parent asks for nothing, and the relay knows that now: it sends bodies at once.
            _ = try relay.connect().get("http://a.example/")
            for test in try ConformanceCase.all("requests") {
                let known = parent.requests.count
                let client = try relay.connect()
                try? client.stream.send(test.bytes)
                client.stream.finish()
                let answers = try Answers(client.readToEnd(), test.methods)
                #expect(answers.statuses == test.statuses, "\(test.name) (\(test.source))")
                #expect(answers.rest == "", "\(test.name) (\(test.source))")
                let forwarded = parent.requests[known...].map(Self.summary)
                #expect(forwarded == test.forwarded, "\(test.name) (\(test.source))")
            }
        }
        try await group.shutdownGracefully()
    }

    @Test(
        "Each response reaches the client as it was meant, or is 502 or cut off, and none is taken for the next one's"
    )
    func responses() async throws {
        let cases = try ConformanceCase.all("responses")
        let parent = try await ScriptedServer { request in
            guard let number = request.field("X-Case").flatMap({ Int($0) }) else { return Self.reply(to: request) }
            let text = String(decoding: cases[number].bytes, as: UTF8.self)
            return cases[number].closes ? .sendAndClose(text) : .send(text)
        }
        defer { parent.stop() }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, group: group) { relay in
            for (number, test) in cases.enumerated() {
                let client = try relay.connect()
                let method = test.forwarded.first ?? "GET"
                try client.send("\(method) http://a.example/ HTTP/1.1\r\nHost: a\r\nX-Case: \(number)\r\n\r\n")
                // If the first response leaves bytes on the parent's connection, this request gets them.
                try client.send("GET http://a.example/next HTTP/1.1\r\nHost: a\r\n\r\n")
                client.stream.finish()
                let answers = try Answers(client.readToEnd(), [method, "GET"])
                #expect(answers.statuses == test.statuses, "\(test.name) (\(test.source))")
                #expect(answers.rest == "", "\(test.name) (\(test.source))")
                // A client of its own is never given what is left of another's response.
                let other = try relay.connect().get("http://a.example/other")
                #expect(other.body == "/other", "\(test.name) (\(test.source))")
            }
        }
        try await group.shutdownGracefully()
    }

    @Test("The library's own client takes the responses that the relay takes, and no others") func ownClient()
        async throws
    {
        let cases = try ConformanceCase.all("responses")
        let server = try await ScriptedServer { request in
            let test = request.field("X-Case").flatMap { Int($0) }.map { cases[$0] }
            guard let test else { return .close }
            let text = String(decoding: test.bytes, as: UTF8.self)
            return test.closes ? .sendAndClose(text) : .send(text)
        }
        defer { server.stop() }
        let client = AuthenticatedClient(CurrentHandler(try TestRelay.noAccounts()))
        defer { client.shutDown() }
        for (number, test) in cases.enumerated() {
            let method = test.forwarded.first ?? "GET"
            let request = ClientRequest(
                origin: server.origin,
                method: HTTPMethod(rawValue: method),
                target: "/",
                headers: ["X-Case": "\(number)"]
            )
            var status = 502
            do {
                let response = try await client.execute(request)
                _ = try await response.body.collect(upTo: 1_024)
                status = Int(response.status.code)
            } catch is ClientError {}
            let expected = test.statuses.first { $0 >= 200 }
            #expect(status == expected, "\(test.name) (\(test.source))")
        }
    }

    @Sendable private static func reply(to request: ScriptedServer.Request) -> ScriptedServer.Reply {
        if request.head.hasPrefix("CONNECT") { return .sendAndClose("HTTP/1.1 200 OK\r\n\r\n") }
        let path = path(of: request.target)
        let body = request.head.hasPrefix("HEAD") ? "" : path
        return .send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(body)")
    }

    private static func path(of target: String) -> String {
        target.hasPrefix("http://a.example") ? String(target.dropFirst(16)) : target
    }

    /// A request as the list of cases writes it.
    private static func summary(_ request: ScriptedServer.Request) -> String {
        var count = request.body.utf8.count
        if request.field("Transfer-Encoding") != nil {
            // Without the lines of the chunks.
            count = Chunks.dataCount(request.body)
        }
        return "\(request.head.prefix { $0 != " " }) \(path(of: request.target)) \(count)"
    }
}

/// What a client got: the statuses of whole responses, and what follows the last of them.
private struct Answers {
    var statuses: [Int] = []
    var rest = ""

    init(_ bytes: [UInt8], _ methods: [String]) throws {
        var text = String(decoding: bytes, as: UTF8.self)
        while let end = text.range(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) {
            let head = text[..<end.lowerBound].lowercased()
            text = String(text[end.upperBound...])
            let method = statuses.count < methods.count ? methods[statuses.count] : ""
            statuses.append(status)
            guard method != "HEAD", status >= 200, status != 204, status != 304, method != "CONNECT" || status > 299
            else {
                continue
            }
            if let length = head.firstMatch(of: /content-length: (\d+)/).flatMap({ Int($0.1) }) {
                text = String(text.dropFirst(length))
            } else if head.contains("transfer-encoding: chunked"), let last = text.range(of: "0\r\n\r\n") {
                text = String(text[last.upperBound...])
            } else if head.contains("connection: close") {
                text = ""
            }
        }
        rest = text
    }
}

/// Counts the data of chunks that are well-formed.
private enum Chunks {
    static func dataCount(_ body: String) -> Int {
        var (count, rest) = (0, body[...])
        while let end = rest.range(of: "\r\n"), let size = Int(rest[..<end.lowerBound].prefix { $0 != ";" }, radix: 16)
        {
            count += size
            rest = rest[end.upperBound...].dropFirst(size + (size > 0 ? 1 : 0))
        }
        return count
    }
}

/// One line of a list of cases.
private struct ConformanceCase {
    let name: String
    let source: String
    let statuses: [Int]
    let forwarded: [String]
    let bytes: [UInt8]
    /// Whether the parent closes after the bytes; of responses.
    let closes: Bool

    /// The methods of the requests, as far as responses depend on them.
    var methods: [String] { forwarded.map { String($0.prefix { $0 != " " }) } }

    static func all(_ list: String) throws -> [ConformanceCase] {
        let file = HelperFile.url("\(list).tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("# ") }.map(
            Self.init
        )
    }

    private init(line: Substring) throws {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == 5 else { throw PeerFailure(what: "five columns are expected in \(line)") }
        (name, source) = (columns[0], columns[1])
        statuses =
            columns[2] == "closed"
            ? []
            : try columns[2].split(separator: " ").flatMap { word in
                let parts = word.split(separator: "*").map { Int($0) }
                guard let status = parts[0], let count = parts.count == 1 ? 1 : parts[1] else {
                    throw PeerFailure(what: "\(word) is no status in \(line)")
                }
                return [Int](repeating: status, count: count)
            }
        closes = columns[3].hasSuffix("closes")
        let requests = columns[3].replacing(" closes", with: "")
        forwarded = requests == "-" ? [] : requests.split(separator: "; ").map(String.init)
        bytes = try Self.bytes(of: columns[4])
    }

    /// `\r`, `\n`, `\t`, `\\`, `\xNN`, and `{text*count}`.
    private static func bytes(of text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{":
                guard let end = rest.firstIndex(of: "}"), let star = rest[..<end].lastIndex(of: "*"),
                    let count = Int(rest[rest.index(after: star)..<end])
                else { throw PeerFailure(what: "a brace is not closed in \(text)") }
                let part = try Self.bytes(of: String(rest[..<star]))
                for _ in 0..<count { bytes += part }
                rest = rest[rest.index(after: end)...]
            case "\\":
                switch rest.popFirst() {
                case "r": bytes.append(0x0D)
                case "n": bytes.append(0x0A)
                case "t": bytes.append(0x09)
                case "\\": bytes.append(0x5C)
                case "x":
                    guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw PeerFailure(what: "\\x in \(text)") }
                    bytes.append(byte)
                    rest = rest.dropFirst(2)
                default: throw PeerFailure(what: "an unknown escape in \(text)")
                }
            default: bytes += Array(String(character).utf8)
            }
        }
        return bytes
    }
}
