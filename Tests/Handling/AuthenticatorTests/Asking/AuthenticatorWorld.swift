import Sallyport
import Synchronization
import Testing
import WireFormat

@testable import Authenticator
@testable import ChallengeHandling

/// A server that takes Basic, and requests to it that ask an authenticator.
struct AuthenticatorWorld: Sendable {
    /// Which user and password each path needs, by the longest prefix.
    let passwords: Passwords
    let authenticator: Authenticator

    init(
        _ passwords: [String: String] = ["/": "jdoe:right"],
        accounts: [AccountAssignment] = [],
        sources: [any CredentialSource] = [],
        prompt: (any CredentialSource)? = nil,
        store: (any CredentialStore)? = nil,
        identities: Authenticator.IdentitySource? = nil,
        observer: EventObserver? = nil,
        _ options: AuthenticatorOptions = AuthenticatorOptions()
    ) throws {
        let sites = "*.acme.example\nhttp://intranet.acme.example\nhttp://proxy.acme.example:3128"
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites, name: "test"),
            schemes: [.basic],
            accounts: accounts
        )
        self.passwords = Passwords(passwords)
        authenticator = try Authenticator(
            CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0), clock: nil, observer: observer)),
            sources: sources,
            prompt: prompt,
            store: store,
            identities: identities,
            options: options,
            clock: { 1_000 }
        )
    }

    /// Sends a request until its authentication has ended; returns the last status.
    func get(_ path: String = "/", from origin: String = "https://wiki.acme.example") async throws -> Int {
        let request = OutgoingRequest(origin: try Origin(parsing: origin), target: path)
        var repetitions = 0
        while true {
            let handler = authenticator.current.handler
            let (status, fields, outcome) = try await once(request, handler)
            let advice = try await authenticator.advice(
                after: outcome,
                of: request,
                fields: fields,
                with: handler,
                repetitions: repetitions
            )
            guard advice == .repeatRequest else { return status }
            repetitions += 1
        }
    }

    private func once(
        _ request: OutgoingRequest,
        _ handler: ChallengeHandler
    ) async throws -> (Int, HTTPFields, RequestOutcome) {
        var authentication = handler.authentication(of: request)
        var step = authentication.begin()
        var last: (status: Int, fields: HTTPFields) = (0, [:])
        while true {
            switch step {
            case .send(let sending):
                last = answer(to: sending.authorization?.value, request.path)
                step = authentication.received(
                    status: last.status,
                    fields: last.fields,
                    on: ConnectionTraits(security: .unknownLeaf)
                )
            case .wait(let turn):
                try await turn.ready()
                step = authentication.resume()
            case .needs: throw CancellationError()
            case .deliver(let outcome): return (last.status, last.fields, outcome)
            }
        }
    }

    private func answer(to authorization: String?, _ path: String) -> (Int, HTTPFields) {
        let right = "Basic " + Self.base64(passwords.wanted(at: path))
        if authorization == right { return (200, [:]) }
        return (401, [.wwwAuthenticate: "Basic realm=\"wiki\""])
    }

    private static func base64(_ text: String) -> String { Base64.encode(Array(text.utf8).span) }
}

/// What a server takes.
final class Passwords: Sendable {
    private let byPrefix: Mutex<[String: String]>

    init(_ byPrefix: [String: String]) { self.byPrefix = Mutex(byPrefix) }

    func wanted(at path: String) -> String {
        byPrefix.withLock { byPrefix in
            byPrefix.filter { path.hasPrefix($0.key) }.max { $0.key.utf8.count < $1.key.utf8.count }?.value ?? ""
        }
    }

    func change(_ prefix: String, to password: String) { byPrefix.withLock { $0[prefix] = password } }
}

/// A source whose replies a test writes.
final class ScriptedSource: CredentialSource {
    private let body: @Sendable (CredentialQuestion) async throws -> CredentialReply
    private let seen = Mutex<(questions: [CredentialQuestion], outcomes: [CredentialOutcome])>(([], []))

    init(_ body: @escaping @Sendable (CredentialQuestion) async throws -> CredentialReply) { self.body = body }

    /// Always this user and password.
    convenience init(_ user: String, _ password: String, keep: SuppliedCredential.Keeping = .session) {
        self.init { _ in .use(SuppliedCredential(login: user, password: SharedSecret(utf8: password), keep: keep)) }
    }

    var questions: [CredentialQuestion] { seen.withLock { $0.questions } }
    var outcomes: [CredentialOutcome] { seen.withLock { $0.outcomes } }

    func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        seen.withLock { $0.questions.append(question) }
        return try await body(question)
    }

    func learn(_ outcome: CredentialOutcome, of credential: SuppliedCredential, for question: CredentialQuestion) async
    {
        seen.withLock { $0.outcomes.append(outcome) }
    }
}

/// Opens once; who waits before that goes on then.
actor TestGate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// How many calls wait.
    var waiting: Int { waiters.count }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func wait() async { if !isOpen { await withCheckedContinuation { waiters.append($0) } } }
}
