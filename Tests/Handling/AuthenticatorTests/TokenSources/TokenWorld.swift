import CredentialStores
import HTTPTypes
import Hostnames
import OAuth
import Sallyport
import Secrets
import Synchronization
import WireFormat

@testable import Authenticator
@testable import ChallengeHandling

/// An OAuth service with rotating refresh tokens, its programming interface, and a clock.
final class TokenWorld: Sendable {
    struct State {
        var now: Int64 = 1_000
        /// The refresh tokens that the service takes.
        var refresh: Set<String> = []
        /// The access tokens that the interface takes, with their ends.
        var access: [String: Int64] = [:]
        var last = 0
        /// The requests to the token endpoint.
        var requests: [String] = []
        var revocations: [String] = []
        var lifetime: Int64 = 3_600
        /// Whether a refresh token is good until its successor is used, and not only once.
        var isLenient = false
        var successors: [String: String] = [:]
        /// What the token endpoint sends in place of a grant.
        var failure: (any Error)?
        var refusal: String?
        var seen: [String?] = []
        /// The paths that no token opens: they answer 401 without a challenge, as Apache does.
        var forbidden: Set<String> = []
    }

    struct Lost: Error, Equatable {}

    let state = Mutex(State())
    /// Holds the responses of the token endpoint.
    let gate: TestGate?

    init(gate: TestGate? = nil, refresh: String? = nil) {
        self.gate = gate
        if let refresh { state.withLock { _ = $0.refresh.insert(refresh) } }
    }

    var tokenRequests: Int { state.withLock { $0.requests.count } }
    func revokeAccess() { state.withLock { $0.access = [:] } }
    func passes(_ seconds: Int64) { state.withLock { $0.now += seconds } }

    func source(
        _ grant: OAuthTokenSource.Grant = .clientCredentials,
        store: any CredentialStore = MemoryCredentialStore(),
        requiresTLS: Bool = true,
        losesResponse: Bool = false
    ) throws -> OAuthTokenSource {
        let client = OAuthClient(
            id: "sallyport",
            authentication: grant == .clientCredentials ? .basic(SharedSecret(utf8: "s3cret")) : .none,
            tokenEndpoint: try ServiceURL("https://login.acme.example/token")
        )
        return OAuthTokenSource(
            "tracker",
            client: client,
            grant: grant,
            revocationEndpoint: try ServiceURL("https://login.acme.example/revoke"),
            requiresTLS: requiresTLS,
            store: store,
            clock: { [self] in state.withLock { $0.now } },
            send: { [self] request in
                let response = try await answer(request)
                if losesResponse { throw Lost() }
                return response
            }
        )
    }

    /// The service's answer, by the form of the request.
    func answer(_ request: TokenRequest) async throws -> TokenResponse {
        let form = Self.text(request.body)
        let isRevocation = request.url.target == "/revoke"
        let (status, body) = try state.withLock { state -> (Int, String) in
            if isRevocation {
                state.revocations.append(form)
                if let failure = state.failure { throw failure }
                return (200, "")
            }
            state.requests.append(form)
            if let failure = state.failure { throw failure }
            if let refusal = state.refusal { return (400, #"{"error":"\#(refusal)"}"#) }
            return state.grant(form)
        }
        await gate?.wait()
        return try TokenResponse(status: status, body: Array(body.utf8).span)
    }

    static func text(_ secret: SharedSecret?) -> String {
        secret?.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) } ?? ""
    }

    /// An authenticator whose place has `source`.
    func authenticator(
        _ source: any TokenSource,
        first: Bool = false,
        cleartext: Bool = false,
        store: (any CredentialStore)? = nil,
        _ change: (inout AuthenticatorOptions) -> Void = { _ in }
    ) throws -> Authenticator {
        var place = AccountPlace(name: "tracker", sites: ["*.acme.example", "http://old.acme.example"])
        place.tokens = source
        (place.sendsTokenFirst, place.allowsCleartext) = (first, cleartext)
        var options = AuthenticatorOptions(places: [place])
        change(&options)
        return try Authenticator(
            CurrentHandler(ChallengeHandler(try Self.profile(), clock: nil)),
            sources: [],
            prompt: nil,
            store: store,
            identities: nil,
            options: options,
            clock: { [self] in state.withLock { $0.now } }
        )
    }

    /// A profile that allows the interface, and has no account.
    static func profile() throws -> CompiledProfile {
        let sites = try SiteList(parsing: "*.acme.example\nhttp://old.acme.example", name: "test")
        return try CompiledProfile(SecurityProfile(sites: sites, schemes: [.basic]), at: 0)
    }

    /// Sends a request to the interface until its authentication has ended; returns the last status.
    func get(
        _ authenticator: Authenticator,
        _ path: String = "/",
        from origin: String = "https://api.acme.example",
        beforeAdvice: @Sendable () async -> Void = {}
    ) async throws -> Int {
        let request = OutgoingRequest(origin: try Origin(parsing: origin), target: path)
        var repetitions = 0
        while true {
            try await authenticator.prepare(request)
            let handler = authenticator.current.handler
            let (status, fields, outcome) = try await once(request, handler)
            await beforeAdvice()
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

    private func once(_ request: OutgoingRequest, _ handler: ChallengeHandler) async throws -> (
        Int, HTTPFields, RequestOutcome
    ) {
        var authentication = handler.authentication(of: request)
        var step = authentication.begin()
        var last: (status: Int, fields: HTTPFields) = (0, [:])
        while true {
            switch step {
            case .send(let sending):
                last = resource(sending.authorization?.value, at: request.target)
                let security: ConnectionTraits.Security = request.origin.scheme == .https ? .unknownLeaf : .none
                step = authentication.received(
                    status: last.status,
                    fields: last.fields,
                    on: ConnectionTraits(security: security)
                )
            case .wait(let turn):
                try await turn.ready()
                step = authentication.resume()
            case .needs: throw CancellationError()
            case .deliver(let outcome): return (last.status, last.fields, outcome)
            }
        }
    }

    private func resource(_ authorization: String?, at path: String) -> (Int, HTTPFields) {
        let (isRight, isForbidden) = state.withLock { state in
            state.seen.append(authorization)
            guard let authorization, authorization.hasPrefix("Bearer ") else { return (false, false) }
            let isRight = state.access[String(authorization.dropFirst(7))].map { $0 > state.now } ?? false
            return (isRight, state.forbidden.contains(path))
        }
        guard isRight else { return (401, [.wwwAuthenticate: #"Bearer realm="api", error="invalid_token""#]) }
        return isForbidden ? (401, [:]) : (200, [:])
    }
}

extension TokenWorld.State {
    fileprivate mutating func grant(_ form: String) -> (Int, String) {
        last += 1
        var more = ""
        if let range = form.firstRange(of: "refresh_token=") {
            let old = String(form[range.upperBound...].prefix { $0 != "&" })
            guard refresh.contains(old) else { return (400, #"{"error":"invalid_grant"}"#) }
            let new = "r\(last)"
            if isLenient {
                // The successor that the client never used is void; the token before this one ends with its use.
                if let unused = successors[old] { refresh.remove(unused) }
                for (before, after) in successors where after == old { refresh.remove(before) }
                successors[old] = new
            } else {
                refresh.remove(old)
            }
            refresh.insert(new)
            more = #","refresh_token":"\#(new)""#
        }
        access["a\(last)"] = now + lifetime
        return (200, #"{"access_token":"a\#(last)","token_type":"Bearer","expires_in":\#(lifetime)\#(more)}"#)
    }
}

extension TokenWorld {
    /// The refresh token that a store has; `nil` without one.
    static func storedRefreshToken(_ store: MemoryCredentialStore) async throws -> String? {
        let query = CredentialQuery(origin: try Origin(parsing: "https://login.acme.example"), kind: .refreshToken)
        return try await store.credentials(for: query, at: 0).first.map { text($0.secret) }
    }
}
