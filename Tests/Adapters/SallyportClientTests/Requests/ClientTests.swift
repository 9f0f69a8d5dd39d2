import AllowedSites
import Credentials
import Foundation
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportClient
import Secrets
import Synchronization
import TestLimits
import TestSupport
import Testing

/// What a server may do to a client.
@Suite(.inTurn) struct ClientTests {
    @Test("Basic costs one trip more once, and none after that, on one connection") func inAdvance() async throws {
        let server = try await ScriptedServer {
            $0.field("Authorization") == nil ? .send(OneAccount.basic) : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        for _ in 0..<5 {
            let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            #expect(response.status == .ok)
            #expect(String(buffer: try await response.body.collect(upTo: 10)) == "ok")
        }
        #expect(server.requests.count == 6)
        #expect(server.connections == 1)
    }

    @Test("A silent server ends with the deadline, and its connection is closed") func silent() async throws {
        let server = try await ScriptedServer { _ in .hang }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        await #expect(throws: ClientError.deadlineExceeded) {
            try await client.execute(ClientRequest(origin: server.origin), deadline: .now() + .seconds(2))
        }
        try await eventually("each connection is closed") { server.closed == server.connections }
    }

    @Test(
        "A server that only ever says that it works on it ends with the limit of the settings, an hour if nobody sets one"
    )
    func totalLimit() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 102 Processing\r\n\r\n") }
        defer { server.stop() }
        let client = try OneAccount.client(server) { $0.totalLimit = .seconds(2) }
        await #expect(throws: ClientError.deadlineExceeded) {
            try await client.execute(ClientRequest(origin: server.origin))
        }
        #expect(ClientSettings().totalLimit == .hours(1))
    }

    @Test("A body that does not end breaks off at the deadline") func endlessBody() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab") }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        await #expect(throws: ClientError.deadlineExceeded) {
            let request = ClientRequest(origin: server.origin)
            let response = try await client.execute(request, deadline: .now() + .seconds(3))
            _ = try await response.body.collect(upTo: 100)
        }
    }

    @Test("A cancelled request closes its connection") func cancelled() async throws {
        let server = try await ScriptedServer { _ in .hang }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let task = Task { try await client.execute(ClientRequest(origin: server.origin)) }
        try await eventually("the server has the request") { server.requests.count == 1 }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        try await eventually("the connection is closed") { server.closed == 1 }
    }

    @Test("A server that asks for ever gets the password once") func asksForEver() async throws {
        let server = try await ScriptedServer { _ in .send(OneAccount.basic) }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        for _ in 0..<3 {
            let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            #expect(response.status == .unauthorized)
            guard case .withheld = response.outcome else {
                Issue.record("\(response.outcome)")
                continue
            }
            _ = try await response.body.collect(upTo: 10)
        }
        #expect(server.requests.count { $0.field("Authorization") != nil } == 1)
    }

    @Test(
        "A 401 whose head cannot be read refuses a password that was accepted before: it goes out once more",
        arguments: [
            "HTTP/1.1 401 No\r\nBad Name: x\r\n\r\n", "HTTP/1.1 401 No\r\nTransfer-Encoding: foo\r\n\r\n",
            "HTTP/1.1 401 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "HTTP/1.1 401 No\r\nWWW-Auth",
            "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 401 No\r\nBad Name: x\r\n\r\n",
        ]
    )
    func unreadableRefusal(bytes: String) async throws {
        let isChanged = Mutex(false)
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") != nil else { return .send(OneAccount.basic) }
            return isChanged.withLock { $0 } ? .sendAndClose(bytes) : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        func ask() async throws -> Int {
            let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            _ = try await response.body.collect(upTo: 10)
            return Int(response.status.code)
        }
        #expect(try await ask() == 200)
        isChanged.withLock { $0 = true }
        let accepted = server.requests.count { $0.field("Authorization") != nil }
        await #expect(throws: ClientError.self) { try await ask() }
        for _ in 0..<4 { #expect(try await ask() == 401) }
        #expect(server.requests.count { $0.field("Authorization") != nil } == accepted + 1)
    }

    @Test("A refused response without end costs a connection, not the request") func longChallenge() async throws {
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") == nil else { return .send(OneAccount.ok) }
            return .pour(
                "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 99999999999\r\n\r\n"
            )
        }
        defer { server.stop() }
        let client = try OneAccount.client(server) { $0.drainedBytes = 1 << 18 }
        let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        #expect(response.status == .ok)
        #expect(server.connections == 2)
    }

    @Test("Fields of 200 KB are an error") func longFields() async throws {
        let field = String(repeating: "a", count: 200_000)
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nX: \(field)\r\n\r\n") }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        await #expect(throws: ClientError.self) {
            try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        }
    }

    @Test("A body that can be sent once waits for the word, and is sent whole after the challenge") func once()
        async throws
    {
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") != nil else { return .send(OneAccount.basic) }
            return request.body.isEmpty ? .send("HTTP/1.1 100 Continue\r\n\r\n") : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let body = ClientRequest.Body.once(length: 5, Parts(["he", "llo"]))
        let response = try await client.execute(
            ClientRequest(origin: server.origin, method: .POST, body: body),
            deadline: OneAccount.soon
        )
        #expect(response.status == .ok)
        #expect(server.requests.last?.body == "hello")
    }

    @Test("A body is whole with its last byte, also if its sequence ends later") func wholeWithLastByte() async throws {
        let server = try await ScriptedServer { request in
            guard request.head.hasPrefix("POST") else { return .send(OneAccount.ok) }
            return request.body.isEmpty ? .send("HTTP/1.1 100 Continue\r\n\r\n") : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let (parts, source) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
        source.yield(ByteBuffer(string: "hello"))
        let response = try await client.execute(
            ClientRequest(origin: server.origin, method: .POST, body: .once(length: 5, parts)),
            deadline: OneAccount.soon
        )
        #expect(try await response.body.collect(upTo: 10) == ByteBuffer(string: "ok"))
        let second = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        _ = try await second.body.collect(upTo: 10)
        #expect(server.connections == 1)
    }

    @Test("A body of another length than announced is an error, and nothing follows it") func wrongLength() async throws
    {
        let server = try await ScriptedServer { _ in .hang }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let body = ClientRequest.Body.repeatable(length: 3) { Parts(["hello"]) }
        await #expect(throws: ClientError.wrongBodyLength(announced: 3)) {
            try await client.execute(
                ClientRequest(origin: server.origin, method: .POST, body: body),
                deadline: OneAccount.soon
            )
        }
        try await eventually("the connection is closed") { server.closed == 1 }
    }

    @Test(
        "What could begin another request is refused before anything is sent",
        arguments: [
            Defective(target: "/ HTTP/1.1\r\nX: y"), Defective(target: "/a b"), Defective(target: "http://other/"),
            Defective(target: "/\u{e9}"), Defective(target: ""), Defective(headers: ["X": "y\r\nZ: z"]),
            Defective(headers: ["X y": "z"]),
            Defective(headers: ["X": "\u{0}"]), Defective(method: .RAW(value: "GET /a\r\nX:")),
            Defective(method: .CONNECT),
        ]
    )
    func injection(parts: Defective) async throws {
        let server = try await ScriptedServer { _ in .send(OneAccount.ok) }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let request = ClientRequest(
            origin: server.origin,
            method: parts.method,
            target: parts.target,
            headers: parts.headers
        )
        await #expect(throws: ClientError.self) { try await client.execute(request, deadline: OneAccount.soon) }
        #expect(server.connections == 0)
    }

    @Test("A redirect to another origin takes no credentials, cookies or answers along", .row(5)) func redirect()
        async throws
    {
        let other = try await ScriptedServer { _ in .send(OneAccount.basic) }
        defer { other.stop() }
        let target = other.origin
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 302 Found\r\nLocation: \(target)/there\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let headers: HTTPHeaders = ["Authorization": "Bearer t", "Cookie": "a=b", "Accept": "*/*"]
        let response = try await client.execute(
            ClientRequest(origin: server.origin, headers: headers),
            deadline: OneAccount.soon
        )
        #expect(response.status == .unauthorized)
        let arrived = try #require(other.requests.first)
        #expect(arrived.target == "/there")
        #expect(arrived.field("Authorization") == nil && arrived.field("Cookie") == nil)
        #expect(arrived.field("Accept") == "*/*")
        #expect(other.requests.count == 1)
    }

    @Test("A long body that was refused is sent again on another connection, a short one on the same")
    func unreadBody() async throws {
        for length in [4096, 4097] {
            let server = try await ScriptedServer {
                $0.field("Authorization") == nil ? .send(OneAccount.basic) : .send(OneAccount.ok)
            }
            defer { server.stop() }
            let client = try OneAccount.client(server)
            let body = ClientRequest.Body.bytes(ByteBuffer(repeating: 0x61, count: length))
            let request = ClientRequest(origin: server.origin, method: .POST, body: body)
            let response = try await client.execute(request, deadline: OneAccount.soon)
            #expect(response.status == .ok)
            #expect(server.requests.map(\.body.utf8.count) == [length, length])
            #expect(server.connections == (length > 4096 ? 2 : 1))
        }
    }

    @Test(
        "A connection on which a long body was refused carries no other request",
        arguments: [4096, 4097],
        ["HTTP/1.1 403 Forbidden", "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Other"]
    )
    func unreadBodyForOthers(length: Int, refusal: String) async throws {
        let server = try await ScriptedServer {
            $0.body.isEmpty ? .send(OneAccount.ok) : .send("\(refusal)\r\nContent-Length: 2\r\n\r\nno")
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let body = ClientRequest.Body.bytes(ByteBuffer(repeating: 0x61, count: length))
        let request = ClientRequest(origin: server.origin, method: .POST, body: body)
        let refused = try await client.execute(request, deadline: OneAccount.soon)
        _ = try await refused.body.collect(upTo: 2)
        _ = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        #expect(server.connections == (length > 4096 ? 2 : 1))
    }

    @Test("The connection of a long body that was refused is closed while its request waits for another one")
    func unreadBodyThatWaits() async throws {
        let (begun, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // A reply that blocks holds up no other server.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 4)
        let server = try await ScriptedServer(group: group) { request in
            guard request.field("Authorization") != nil else { return .send(OneAccount.basic) }
            // The password is tried by the first request alone until this response.
            if request.target == "/first" {
                begun.signal()
                _ = held.wait(timeout: .now() + Patience.limit / .seconds(1))
            }
            return .send(OneAccount.ok)
        }
        let client = try OneAccount.client(server)
        async let first = client.execute(
            ClientRequest(origin: server.origin, target: "/first"),
            deadline: OneAccount.soon
        )
        defer { held.signal() }
        try await eventually("the first request tries the password") { begun.wait(timeout: .now()) == .success }
        let body = ClientRequest.Body.bytes(ByteBuffer(repeating: 0x61, count: 4097))
        let upload = ClientRequest(origin: server.origin, method: .POST, target: "/upload", body: body)
        async let second = client.execute(upload, deadline: OneAccount.soon)
        try await eventually("the upload is refused, and its connection is closed") { server.closed > 0 }
        held.signal()
        let statuses = try await [first.status, second.status]
        #expect(statuses == [.ok, .ok])
        server.stop()
        try await group.shutdownGracefully()
    }

    @Test("A server of HTTP/2 alone, of another protocol, or that says nothing sensible is an error at once")
    func otherProtocols() async throws {
        let settings = "\u{0}\u{0}\u{6}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{3}\u{0}\u{0}\u{0}d"
        for bytes in [settings, "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "\r\n\r\n\r\n\r\nx"] {
            let server = try await ScriptedServer { _ in .sendAndClose(bytes) }
            defer { server.stop() }
            let client = try OneAccount.client(server)
            await #expect(throws: ClientError.self) {
                try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            }
        }
    }

    @Test("A hundred challenges are read, or refused, and the password goes out once at most") func hundred()
        async throws
    {
        let lines = (0..<100).map { "WWW-Authenticate: Basic realm=\"r\($0)\"\r\n" }.joined()
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 401 No\r\n\(lines)Content-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        #expect(response.status == .unauthorized)
        #expect(server.requests.count { $0.field("Authorization") != nil } <= 1)
    }

    @Test("Redirects in a circle end") func circle() async throws {
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 307 Again\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        await #expect(throws: ClientError.self) {
            try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        }
        #expect(server.requests.count == 9)
    }

    @Test("A slow reader stops the server") func backpressure() async throws {
        let server = try await ScriptedServer { _ in
            .pour("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        var last = -1
        // The server writes until the buffers of both sockets are full.
        try await eventually("the server stops to write") {
            // Long enough for a server that goes on to write more.
            try await Task.sleep(for: .milliseconds(50))
            defer { last = server.poured }
            return server.poured == last && last > 0
        }
        let stopped = server.poured
        #expect(stopped < 64 << 20)
        var count = 0
        for try await part in response.body {
            count += part.readableBytes
            if count > stopped { break }
        }
        #expect(count > stopped)
    }
}

/// Parts of a body.
struct Parts: AsyncSequence, Sendable {
    let parts: [String]

    init(_ parts: [String]) { self.parts = parts }

    func makeAsyncIterator() -> Iterator { Iterator(rest: parts[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<String>

        mutating func next() async throws -> ByteBuffer? { rest.popFirst().map { ByteBuffer(string: $0) } }
    }
}

/// The parts of a request that cannot be sent.
struct Defective: Sendable {
    var method = HTTPMethod.GET
    var target = "/"
    var headers: HTTPHeaders = [:]
}
