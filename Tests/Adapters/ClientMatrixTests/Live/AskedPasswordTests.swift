import CredentialSources
import LiveServers
import MatrixClients
import Sallyport
import SallyportNIO
import Secrets
import Synchronization
import Testing

/// Passwords that no profile has, and that a person is asked for.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .squid, .pyspnego))
struct AskedPasswordTests {
    @Test(
        "A wrong password costs one bad log-on, the next one is used by all requests, and after a sign-out it is gone",
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.matrix
    )
    func asked(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (settings, origin) = try server.route()
        let current = try MatrixProfile.current([], [kind.scheme], at: [try server.address(), origin])
        let prompt = Person(domain: kind.scheme == .ntlm ? ServerScript.domain : nil)
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(current, prompt: prompt, options: options)
        try await client.run(current, settings, asking: authenticator) { running in
            for body in [MatrixRequest.Body.none, .kept, .none] {
                let request = MatrixRequest(origin: origin, target: server.page(1), body: body)
                let status = try await running.send(request).status
                // Some servers' pages are files, which take no POST: that is said to users who may see them.
                let post = server.isProxy ? 501 : kind == .nginxBasic ? 405 : 200
                #expect(status == (body == .kept ? post : 200))
            }
            #expect(try server.takeBadLogOns() == 1)
            #expect(prompt.questions.map(\.wasRefused) == [false, true])
            #expect(prompt.outcomes == [.refused, .accepted])
            let isProxy = server.isProxy
            #expect(prompt.questions.allSatisfy { $0.party == (isProxy ? .proxy : .server) })

            let report = await authenticator.signOut()
            #expect(report.accounts.count == 1 && report.failures.isEmpty)
            let again = MatrixRequest(origin: origin, target: server.page(2))
            let reply = try await running.send(again)
            #expect(reply.status == 200)
            #expect(prompt.questions.count == 3)
            #expect(try server.takeBadLogOns() == 0)
        }
    }

    @Test(
        "A proxy's password is asked for before its tunnel",
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.squid
    )
    func tunnel(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let root = try TestAuthority("Root")
        let server = try await ScriptedServer(tls: root.leaf("localhost").serverContext) { _ in .send(Responses.ok) }
        defer { server.stop() }
        let squid = try await GuardedServer.started(kind)
        let current = try MatrixProfile.current([], [kind.scheme], at: [try squid.address(), server.origin])
        let prompt = Person(domain: kind.scheme == .ntlm ? ServerScript.domain : nil)
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(current, prompt: prompt, options: options)
        try await client.run(current, try squid.route().settings, asking: authenticator, trusting: root) { running in
            for _ in 0..<2 {
                let reply = try await running.send(MatrixRequest(origin: server.origin))
                #expect(reply.status == 200)
            }
        }
        #expect(try squid.takeBadLogOns() == 1)
        #expect(prompt.questions.map(\.party) == [.proxy, .proxy])
        #expect(prompt.outcomes == [.refused, .accepted])
    }
}

/// A person who mistypes the first password.
private final class Person: CredentialSource {
    private let domain: String?
    private let asked = Mutex<[CredentialQuestion]>([])
    private let heard = Mutex<[CredentialOutcome]>([])

    init(domain: String?) { self.domain = domain }

    var questions: [CredentialQuestion] { asked.withLock { $0 } }
    /// What became of the passwords.
    var outcomes: [CredentialOutcome] { heard.withLock { $0 } }

    func learn(_ outcome: CredentialOutcome, of _: SuppliedCredential, for _: CredentialQuestion) async {
        heard.withLock { $0.append(outcome) }
    }

    func reply(to question: CredentialQuestion) async -> CredentialReply {
        let number = asked.withLock { asked in
            asked.append(question)
            return asked.count
        }
        let password = SharedSecret(utf8: number == 1 ? "Mistyped" : GuardedServer.password)
        return .use(SuppliedCredential(user: "jdoe", domain: domain, password: password))
    }
}
