import CredentialSources
import CredentialStores
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import Secrets
import Synchronization
import Testing

/// Passwords that the profile does not have, or that the parent has refused.
@Suite(.inTurn) struct AskingTests {
    /// A person who is asked.
    private final class Person: CredentialSource {
        private let answers: Mutex<[String]>
        private let asked = Mutex(0)
        private let late = Mutex<String?>(nil)
        private let withdrawn = Mutex(false)

        /// - Parameter answers: one password for each question; after the last one the person answers late.
        init(_ answers: String...) { self.answers = Mutex(answers) }

        var questions: Int { asked.withLock { $0 } }
        var isWithdrawn: Bool { withdrawn.withLock { $0 } }

        /// Answers the question that is still open.
        func answer(_ password: String) { late.withLock { $0 = password } }

        private func lateAnswer() async throws -> String {
            do { return try await awaited("an answer") { late.withLock { $0 } } } catch {
                withdrawn.withLock { $0 = true }
                throw error
            }
        }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            asked.withLock { $0 += 1 }
            let known = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            let answer = if let known { known } else { try await lateAnswer() }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: answer), keep: .stored))
        }
    }

    /// Sends `count` requests at once, each of a client of its own.
    private static func expect(_ status: Int, of count: Int, _ relay: TestRelay) async throws {
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask { try relay.connect().get("http://a.example/\(number)").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: status, count: count))
    }

    /// The parent, which lets everyone go to `open.example`.
    private static func server(_ parent: ChangingParent) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            request.target.hasPrefix("http://open.example")
                ? .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") : parent.reply(to: request)
        }
    }

    @Test("16 clients without an account wait for one question, and the password is kept")
    func first() async throws {
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        let (person, store) = (Person("right"), MemoryCredentialStore())
        let authenticator = try TestRelay.authenticator("\(server.origin)", person, store: store)
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            try await Self.expect(200, of: 16, relay)
            #expect(person.questions == 1)
            #expect(parent.takeBad() == 0)
            try await eventually("the password is stored") { try await store.list().count == 1 }
        }
    }

    @Test("A password that is changed in mid-load costs two bad log-ons at most, and the person's new one goes on")
    func changed() async throws {
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        let person = Person("right", "new")
        let authenticator = try TestRelay.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            try await Self.expect(200, of: 16, relay)
            parent.change(to: "new")
            try await Self.expect(200, of: 16, relay)
            #expect((1...2).contains(parent.takeBad()))
            #expect(person.questions == 2)
        }
    }

    @Test(
        "A connection whose long body was refused unread is closed while a person is asked",
        arguments: [4_096, 4_097]
    )
    func unreadBody(bytes: Int) async throws {
        let parent = ChangingParent()
        let server = try await ScriptedServer { request in
            // So that the whole body has gone out before the challenge.
            request.field("Expect") != nil && request.body.isEmpty
                ? .send("HTTP/1.1 100 Continue\r\n\r\n") : parent.reply(to: request)
        }
        defer { server.stop() }
        let person = Person()
        let authenticator = try TestRelay.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            let client = try relay.connect()
            let body = String(repeating: "b", count: bytes)
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n\(body)")
            try await eventually("the person is asked") { person.questions > 0 }
            #expect(await relay.relay.counters().openParentConnections == (bytes > 4_096 ? 0 : 1))
            person.answer("right")
            #expect(try client.readResponse().status == 200)
        }
    }

    @Test(
        "A connection on which a parent has refused a long body carries no other request",
        arguments: [4_096, 4_097]
    )
    func unreadBodyForOthers(bytes: Int) async throws {
        let server = try await ScriptedServer { request in
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return request.body.isEmpty
                ? .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                : .send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        try await TestRelay.run(before: server.origin) { relay in
            let client = try relay.connect()
            let body = String(repeating: "b", count: bytes)
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n\(body)")
            #expect(try client.readResponse().status == 403)
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            #expect(server.connections == (bytes > 4_096 ? 2 : 1))
        }
    }

    @Test("A client that authenticates its connection itself keeps it, however long its bodies are")
    func ownLogOnWithLongBodies() async throws {
        let server = try await ScriptedServer { request in
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return request.field("Authorization") == "NTLM BBBB"
                ? .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                : .send("HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM CCCC\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        try await TestRelay.run(before: server.origin) { relay in
            let client = try relay.connect()
            let body = String(repeating: "b", count: 4_097)
            for (message, status) in [("AAAA", 401), ("BBBB", 200)] {
                try client.send(
                    "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nAuthorization: NTLM \(message)\r\nContent-Length: 4097\r\n\r\n\(body)"
                )
                #expect(try client.readResponse().status == status)
            }
            #expect(server.connections == 1)
        }
    }

    @Test("Without a person the store is read again at each request: another password in it is enough")
    func store() async throws {
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        let store = MemoryCredentialStore()
        let authenticator = try TestRelay.authenticator("\(server.origin)", nil, store: store)
        func keep(_ password: String) async throws {
            let name = CredentialName(space: .origin(server.origin, party: .proxy), user: "jdoe", domain: nil)
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: 1))
        }
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            try await Self.expect(502, of: 1, relay)
            try await keep("right")
            try await Self.expect(200, of: 1, relay)
            parent.change(to: "new")
            for _ in 0..<3 { try await Self.expect(502, of: 1, relay) }
            try await Self.expect(502, of: 16, relay)
            #expect((1...2).contains(parent.takeBad()))
            try await keep("new")
            try await Self.expect(200, of: 16, relay)
            #expect(parent.takeBad() == 0)
        }
    }

    @Test("A request waits for a person for a bounded time; the question stays open for the next one")
    func bound() async throws {
        let parent = ChangingParent()
        let server = try await Self.server(parent)
        defer { server.stop() }
        var limits = RelayLimits()
        limits.asking = .milliseconds(200)
        let person = Person()
        let authenticator = try TestRelay.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator, limits: limits) { relay in
            // On a machine that has much to do the limit may be over before there is a question, and the request says that.
            let response = try await awaited("a request that leaves its question") {
                let response = try relay.connect().get("http://a.example/")
                try #require(response.status == 503)
                return response.body.contains("no password: ") ? response : nil
            }
            #expect(
                response.body
                    == "sallyport relay: no password: the question at the relay's terminal is still open: answer it, then repeat the "
                    + "request\n"
            )
            try await eventually("the person is asked") { person.questions > 0 }
            let open = try relay.connect().get("http://open.example/")
            #expect(open.status == 200)
            #expect(!person.isWithdrawn)
            person.answer("right")
            // The limit may be over before the answer counts.
            _ = try await awaited("a request with the answer") {
                let response = try relay.connect().get("http://a.example/")
                return response.status == 200 ? response : nil
            }
            #expect(person.questions == 1 && parent.takeBad() == 0)
        }
    }

    @Test("A relay that is told to end withdraws a question that no request waits for") func endsOpenQuestion()
        async throws
    {
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        var limits = RelayLimits()
        limits.asking = .seconds(1)
        let person = Person()
        let authenticator = try TestRelay.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator, limits: limits) { relay in
            try await Self.expect(503, of: 1, relay)
            await relay.relay.stop()
            // The person may not even have been asked.
            try await eventually("the question is withdrawn") { person.questions == 0 || person.isWithdrawn }
        }
    }

    @Test("A person who does not answer in time: 503 that says so") func timedOut() async throws {
        struct Late: CredentialSource {
            func reply(to question: CredentialQuestion) async throws -> CredentialReply { throw TerminalError.timedOut }
        }
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        let authenticator = try TestRelay.authenticator("\(server.origin)", Late())
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 503)
            #expect(response.body.contains("no password: no answer came: "))
        }
    }

    @Test("A service that gives no token in time: 503 that does not speak of a question") func silentService()
        async throws
    {
        struct Silent: TokenSource {
            func token(for question: TokenQuestion) async throws -> AccessToken? {
                try await Task.sleep(for: .seconds(600))
                return nil
            }
        }
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        var place = AccountPlace(name: "token", sites: ["\(server.origin)"])
        place.tokens = Silent()
        place.sendsTokenFirst = true
        place.allowsCleartext = true
        let handler = try TestRelay.noAccounts(sites: "\(server.origin)")
        let authenticator = try Authenticator(CurrentHandler(handler), options: AuthenticatorOptions(places: [place]))
        var limits = RelayLimits()
        limits.asking = .seconds(1)
        try await TestRelay.run(before: server.origin, authenticator: authenticator, limits: limits) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 503)
            #expect(response.body.contains("no token: the service that gives it does not answer"), "\(response.body)")
        }
    }

    @Test("A relay that is told to end does not wait for a person")
    func ending() async throws {
        let parent = ChangingParent()
        let server = try await Self.server(parent)
        defer { server.stop() }
        let person = Person()
        let authenticator = try TestRelay.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            let waiting = try relay.connect()
            try waiting.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the person is asked") { person.questions > 0 }
            // Nothing else waits for the person.
            #expect(try relay.connect().get("http://open.example/").status == 200)
            async let end: Void = relay.relay.stop()
            let response = try waiting.readResponse()
            #expect(response.status == 503)
            await end
        }
    }
}
