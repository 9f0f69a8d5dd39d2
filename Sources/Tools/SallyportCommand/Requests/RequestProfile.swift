internal import AllowedSites
internal import Credentials
internal import Foundation
internal import HTTPAuthentication
internal import Hostnames
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportRelay
internal import WireFormat

/// What decides about a request.
struct RequestRules: Sendable {
    let current: CurrentHandler
    /// The accounts whose tokens come from services.
    let tokenAccounts: [TokenAccount]
    /// `nil` without a profile.
    let contents: ProfileContents?
}

/// The rules of a request: those of a profile, or those that the URL alone stands for.
enum RequestProfile {
    /// What an account may answer without a profile, the strongest first.
    static let schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic]
    /// What names the sites without a profile.
    private static let listName = "command line"

    /// - Parameters:
    ///   - url: without a profile the only server that may get credentials.
    ///   - proxies: those that may get credentials, too.
    ///   - now: Unix time in seconds.
    ///   - observer: receives what happens.
    ///   - warn: called for each warning about the profile.
    static func current(
        _ options: AccountOptions,
        for url: RequestURL,
        through proxies: [Origin],
        at now: Int64,
        observer: EventObserver,
        warn: (ProfileFileError) -> Void
    ) throws -> RequestRules {
        guard let file = options.profile else {
            let handler =
                options.kerberos
                ? ChallengeHandler(try tickets(for: url.location.origin, through: proxies), observer: observer)
                : try handler(for: url.location.origin, through: proxies, at: now, observer)
            return RequestRules(current: CurrentHandler(handler), tokenAccounts: [], contents: nil)
        }
        let contents = try ProfileReader.contents(ArgumentPath.url(file), at: now, warn: warn)
        let compiled = contents.compiled
        let current = CurrentHandler(ChallengeHandler(compiled, observer: observer))
        guard let user = options.user else {
            return RequestRules(current: current, tokenAccounts: contents.tokenAccounts, contents: contents)
        }
        // Tokens that go along belong to the server, whoever the user is.
        let tokenAccounts = contents.tokenAccounts.filter { $0.name == user || $0.placement != nil }
        let isToken = tokenAccounts.contains { $0.name == user }
        let names = isToken ? [] : compiled.profile.accounts.filter { $0.placement == nil }.map(\.account)
        var chosen = names.filter { $0.name == user }
        if chosen.isEmpty { chosen = names.filter { $0.qualifiedUser == user || $0.user == user } }
        guard chosen.count < 2 else { throw RequestProblem.unknownAccount(user) }
        let name = chosen.first?.name
        // Proxies have accounts of their own.
        let proxyAccounts = proxies.compactMap { proxy in
            current.handler.account(
                for: ProtectionSpace(origin: proxy, path: "/", kind: .http(schemes: [], party: .proxy))
            )?.name
        }
        try current.update(at: now) { profile in
            profile.accounts.removeAll {
                $0.placement == nil && $0.account.name != name && !proxyAccounts.contains($0.account.name)
            }
        }
        return RequestRules(current: current, tokenAccounts: tokenAccounts, contents: contents)
    }

    private static func tickets(for origin: Origin, through proxies: [Origin]) throws -> CompiledProfile {
        let parents = proxies.map { RelayParent($0) }
        return try OwnRules(parents, [origin], usesTickets: true, place: listName).compiled()
    }

    private static func handler(
        for origin: Origin,
        through proxies: [Origin],
        at now: Int64,
        _ observer: EventObserver
    ) throws -> ChallengeHandler {
        let rules = ["\(origin)"] + proxies.filter { $0 != origin }.map { "\($0)" }
        let sites = try SiteList(parsing: rules.joined(separator: "\n"), name: listName)
        let profile = SecurityProfile(sites: sites, schemes: schemes)
        return try ChallengeHandler(profile: profile, at: now, observer: observer)
    }
}
