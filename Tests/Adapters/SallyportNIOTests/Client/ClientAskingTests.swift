import AllowedSites
import CredentialSources
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportNIO
import Secrets
import Synchronization
import Testing

/// Credentials that no profile has: the handler asks its authenticator.
@Suite(.inTurn) struct ClientAskingTests {
    /// A person who gives these replies in turn, and remembers what was asked.
    private final class Person: CredentialSource {
        private let replies: Mutex<[@Sendable () async throws -> CredentialReply]>
        private let asked = Mutex<[CredentialQuestion]>([])

        init(_ replies: [@Sendable () async throws -> CredentialReply]) { self.replies = Mutex(replies) }

        /// A person who types these passwords in turn.
        convenience init(_ passwords: String..., domain: String? = nil) {
            self.init(
                passwords.map { password in
                    {
                        .use(
                            SuppliedCredential(user: "jdoe", domain: domain, password: SharedSecret(utf8: password))
                        )
                    }
                }
            )
        }

        var questions: [CredentialQuestion] { asked.withLock { $0 } }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            asked.withLock { $0.append(question) }
            let next = replies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return try await next?() ?? .nothing
        }
    }

    private struct Locked: Error, CustomStringConvertible {
        var description: String { "the drawer is locked: open it" }
    }

    private static let asks =
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    /// `jdoe` with "Right".
    private static let right = "Basic amRvZTpSaWdodA=="

    private static func authenticator(
        _ sites: [Origin],
        _ schemes: [AuthenticationScheme] = [.basic],
        prompt: Person,
        places: [AccountPlace] = []
    ) throws -> Authenticator {
        let rules = sites.map { "\($0)" }
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rules.joined(separator: "\n"), name: "test"),
            schemes: schemes,
            accounts: []
        )
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        options.places = places
        let current = CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0)))
        return try Authenticator(current, prompt: prompt, options: options)
    }

    /// A server that takes "Right" alone.
    private static func server(_ asks: String = asks) async throws -> ScriptedServer {
        try await ScriptedServer { .send($0.field("Authorization") == right ? ok : asks) }
    }

    @Test("A wrong password costs one log-on, the next one is used, and later requests ask nobody") func asked()
        async throws
    {
        let server = try await Self.server()
        defer { server.stop() }
        let person = Person("Wrong", "Right")
        let user = LiveUser(try Self.authenticator([server.origin], prompt: person), server.origin)
        for target in ["/1", "/2"] { #expect(try await user.ask(target).status == 200) }
        #expect(person.questions.map(\.wasRefused) == [false, true])
        let answers = server.requests.map { $0.field("Authorization") }
        #expect(answers.filter { $0 == Self.right }.count == 2)
        #expect(answers.filter { $0 != nil && $0 != Self.right }.count == 1)
        try await user.close()
    }

    @Test("Nobody knows a password: the response arrives, and the connection goes on") func nobody() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let person = Person()
        let user = LiveUser(try Self.authenticator([server.origin], prompt: person), server.origin)
        for _ in 0..<2 {
            let answer = try await user.ask("/")
            #expect(answer.status == 401 && answer.text == "no")
        }
        #expect(server.connections == 1)
        try await user.close()
    }

    @Test("A source that fails is named, and the request ends") func fails() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let person = Person([{ throw Locked() }])
        let user = LiveUser(try Self.authenticator([server.origin], prompt: person), server.origin)
        do {
            _ = try await user.ask("/")
            Issue.record("a response came")
        } catch let error as AuthenticationError {
            guard case .noCredential(let reason) = error else { throw error }
            #expect("\(error)".contains("the drawer is locked: open it") && reason is Locked)
        }
    }

    @Test("A body that was sent goes again with the password that was found") func body() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let user = LiveUser(try Self.authenticator([server.origin], prompt: Person("Right")), server.origin)
        #expect(try await user.ask("/", body: "data").status == 200)
        // The account is new, so the server asks once more.
        #expect(server.requests.map { $0.field("Authorization") } == [nil, nil, Self.right])
        #expect(server.requests.allSatisfy { $0.body == "data" })
        try await user.close()
    }

    @Test("A server that closes while somebody thinks gets the answer on another connection; one question is asked")
    func closes() async throws {
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") != Self.right else { return .send(Self.ok) }
            return request.connection == 0 ? .sendAndClose(Self.asks) : .send(Self.asks)
        }
        defer { server.stop() }
        let thinking = Mutex<CheckedContinuation<CredentialReply, Never>?>(nil)
        let person = Person([
            { await withCheckedContinuation { continuation in thinking.withLock { $0 = continuation } } }
        ])
        let user = LiveUser(try Self.authenticator([server.origin], prompt: person), server.origin)
        async let answer = user.ask("/").status
        try await eventually("somebody is asked") { thinking.withLock { $0 != nil } }
        // The handler has heard the end when the user has opened the next connection.
        try await eventually("another connection is there") { server.connections == 2 }
        let password = SharedSecret(utf8: "Right")
        thinking.withLock { $0.take() }?
            .resume(returning: .use(SuppliedCredential(user: "jdoe", domain: nil, password: password)))
        let status = try await answer
        #expect(status == 200)
        #expect(person.questions.count == 1)
        try await user.close()
    }

    @Test("A new connection that closes before any response has served nothing before: the request is not repeated")
    func newConnection() async throws {
        let server = try await ScriptedServer { $0.connection == 0 ? .send(Self.asks) : .close }
        defer { server.stop() }
        let user = LiveUser(try Self.authenticator([server.origin], prompt: Person("Right")), server.origin)
        await #expect(throws: ChannelError.eof) { try await user.ask("/").status }
        #expect(server.connections == 2)
    }

    @Test("A question ends with its request, if nobody goes on with that") func leaves() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let hasEnded = Atomic(false)
        let person = Person([
            {
                defer { hasEnded.store(true, ordering: .releasing) }
                try await Task.sleep(for: .seconds(3_600))
                return .nothing
            }
        ])
        let authenticator = try Self.authenticator([server.origin], prompt: person)
        let user = LiveUser(authenticator, server.origin, mostConnections: 1)
        async let answer = user.ask("/").status
        try await eventually("somebody is asked") { person.questions.count == 1 }
        try await user.close()
        let status = try? await answer
        #expect(status == nil)
        try await eventually("the question has ended") { hasEnded.load(ordering: .acquiring) }
    }

    @Test("A person's password at a live proxy with NTLM", .needs(.squid, .pyspnego)) func squid() async throws {
        let squid = try await GuardedServer.started(.squidNTLM)
        let (proxy, origin) = (try squid.address(), try squid.openOrigin)
        let person = Person("Mistyped", GuardedServer.password, domain: ServerScript.domain)
        let authenticator = try Self.authenticator([proxy, origin], [.ntlm], prompt: person)
        let user = LiveUser(authenticator, origin, through: proxy)
        for page in 1...3 { #expect(try await user.ask(squid.page(page)).status == 200) }
        #expect(try squid.takeBadLogOns() == 1)
        #expect(person.questions.map(\.party) == [.proxy, .proxy])
        try await user.close()
    }
}
