internal import AllowedSites
internal import ChallengeHandling
internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NTLM
internal import PeerComparison
internal import SPKIPins
internal import WireFormat

/// The engine calls of a decision on the same inputs, without the handler: the least that a decision can cost.
struct EngineCalls: Sendable {
    private let fixture: HandlerFixture
    private let sites: SiteTrie
    private let assigned: SiteTrie
    private let policy: PinPolicy
    private let chain: ValidatedChain

    init(_ fixture: HandlerFixture) throws {
        self.fixture = fixture
        sites = SiteTrie(compiling: fixture.profile.sites)
        let rules = ["#! allow-public-suffix"] + fixture.profile.accounts.flatMap(\.sites)
        assigned = SiteTrie(compiling: try SiteList(parsing: rules.joined(separator: "\n"), name: "accounts"))
        policy = try PinPolicy(compiling: fixture.profile.pins, version: fixture.profile.version, at: fixture.now)
        chain = try ValidatedChain(assertingValidated: fixture.pinnedChain)
    }

    /// The answer of the allowed sites.
    func site(_ challenged: HandlerFixture.Challenged) -> MeasuredImplementation {
        let (sites, origin, path) = (sites, challenged.request.origin, challenged.request.path)
        return repeated { sites.verdict(for: origin, path: path).isAllowed ? 1 : 2 }
    }

    /// Two lookups, the challenges, the choice among them, and the scheme's exchange.
    func basic(_ challenged: HandlerFixture.Challenged) -> MeasuredImplementation {
        let credential = credential(challenged)
        return exchange(challenged, .basic) { .basic(credential, party: .origin) }
    }

    func digest(_ challenged: HandlerFixture.Challenged) -> MeasuredImplementation {
        let (credential, described) = (credential(challenged), described(challenged))
        return exchange(challenged, .digest) { .digest(credential, party: .origin, request: described) }
    }

    func negotiate(_ challenged: HandlerFixture.Challenged) -> MeasuredImplementation {
        let (account, described) = (ntlmAccount(challenged), described(challenged))
        return exchange(challenged, .ntlm) { .ntlm(account, party: .origin, request: described) }
    }

    /// The challenges, and AUTHENTICATE.
    func authenticate(_ challenged: HandlerFixture.Challenged, _ fields: HTTPFields) -> MeasuredImplementation {
        let (account, described) = (ntlmAccount(challenged), described(challenged))
        return MeasuredImplementation(
            "engines",
            "engines",
            prepare: {
                let started = Started(.ntlm(account, party: .origin, request: described))
                _ = started.exchange.start()
                return started
            },
            perform: { started in
                if case .send = started.exchange.received(status: 401, fields: fields) { return 1 }
                return 2
            }
        )
    }

    /// An exchange in a place that a closure can refer to, because it cannot be copied.
    private final class Started {
        var exchange: AuthenticationExchange

        init(_ exchange: consuming AuthenticationExchange) {
            self.exchange = exchange
        }
    }

    func pins() -> MeasuredImplementation {
        let (policy, chain, fixture) = (policy, chain, fixture)
        return repeated {
            if case .matched = policy.verdict(for: fixture.pinnedHost, chain: chain, now: fixture.now) { return 1 }
            return 2
        }
    }

    private func exchange(
        _ challenged: HandlerFixture.Challenged,
        _ scheme: AuthenticationScheme,
        make: @escaping () -> AuthenticationExchange
    ) -> MeasuredImplementation {
        let (sites, assigned, fields, schemes) = (sites, assigned, challenged.fields, fixture.profile.schemes)
        let (origin, path) = (challenged.request.origin, challenged.request.path)
        return repeated {
            guard sites.verdict(for: origin, path: path).isAllowed else { return 2 }
            let offer = OfferedChallenges(by: .origin, in: fields)
            guard offer.preferred(among: schemes) == scheme,
                assigned.verdict(for: origin, path: path).isAllowed
            else { return 2 }
            var exchange = make()
            let step = exchange.received(status: 401, fields: fields, offer: offer, nonces: .fresh)
            if case .send = step { return 1 }
            return 2
        }
    }

    private func repeated(_ call: @escaping () -> Int) -> MeasuredImplementation {
        precondition(call() != 0)
        return MeasuredImplementation("engines", "engines") { count in
            var sum = 0
            for _ in 0..<count { sum &+= call() }
            return sum
        }
    }

    private func credential(_ challenged: HandlerFixture.Challenged) -> PasswordCredential {
        let space = ProtectionSpace(
            origin: challenged.request.origin,
            path: challenged.request.path,
            kind: .serverTrust
        )
        guard let account = fixture.handler.account(for: space), let password = account.credential.password else {
            preconditionFailure("no account with a password")
        }
        return PasswordCredential(user: account.user, password: password)
    }

    private func ntlmAccount(_ challenged: HandlerFixture.Challenged) -> NTLMAccount {
        guard let account = fixture.handler.ntlmAccount(for: challenged.request) else {
            preconditionFailure("no account")
        }
        return account
    }

    private func described(_ challenged: HandlerFixture.Challenged) -> ExchangeRequest {
        let request = challenged.request
        return ExchangeRequest(method: request.method, target: request.target, host: request.origin.host.description)
    }
}
