internal import ArgumentParser
internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import NIOCore
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import WireFormat

/// Which profile the accounts are in, and how their services are reached.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The security profile (YAML), whose accounts with 'oauth' or 'arcgis' are meant.",
            valueName: "file"
        )
    )
    var profile: String

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities of this PEM file, and not those of the system.", valueName: "file")
    )
    var authorities: String?

    @Option(name: .customLong("allow-cipher"), help: ServerRules.cipherHelp, transform: OlderCipher.named)
    var olderCiphers: [OlderCipher] = []

    @Option(name: .customLong("crl"), help: ServerRules.listHelp)
    var revocationLists: [String] = []

    @Option(help: ArgumentHelp("Reach the service through this proxy, and ignore the environment.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Use no proxy, and ignore the environment.")
    var direct = false

    @OptionGroup var certificate: CertificateOptions

    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard proxy == nil || !direct else { throw ValidationError("--direct uses no proxy: remove it or --proxy.") }
    }

    /// Reads the profile.
    func contents(_ verb: String) throws -> ProfileContents {
        let contents = try ProfileReader.contents(ArgumentPath.url(profile), at: SystemClock.unixSeconds) {
            StandardError.complain(verb, "\($0)")
        }
        guard !contents.tokenAccounts.isEmpty else { throw TokenProblem.noAccounts(profile: profile) }
        return contents
    }

    /// Runs `body` with a way to the services of the accounts. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - chosen: the accounts whose services may get the certificate of the options.
    ///   - limit: how long a service may take.
    ///   - store: is opened already.
    func withAccounts<Value>(
        of contents: ProfileContents,
        _ verb: String,
        for chosen: [TokenAccount],
        limit: TimeAmount,
        _ store: any CredentialStore,
        _ body: (TokenAccounts) throws -> Value
    ) throws -> Value {
        let proxies = try ProxyChoice(option: proxy, isDirect: direct)
        var tls = TLSSettings()
        if let authorities { tls.roots = .certificates(try ServerRules.roots(of: authorities, verb)) }
        tls.olderCiphers = olderCiphers
        var settings = ClientSettings()
        settings.proxy = { proxies.proxy(for: $0)?.origin }
        tls.revocationLists = try RevocationSource(revocationLists, tls, settings).lists
        let option = try certificate.identity(for: Self.rules(of: chosen.compactMap(\.serviceOrigin)))
        guard option?.sites.isEmpty != true else { throw TokenProblem.uselessCertificate }
        let identities = try CommandIdentities(option, contents, mayAsk: true) { store }
        defer { identities.close() }
        let current = CurrentHandler(ChallengeHandler(contents.compiled))
        try identities.install(in: current, at: SystemClock.unixSeconds)
        identities.addKeys(to: &tls)
        let accounts = TokenAccounts(
            accounts: contents.tokenAccounts,
            known: contents.tokenAccounts,
            service: try TokenService(tls: TLSConnector(tls, current), settings: settings, limit: limit),
            store: Once { store },
            current: current,
            // The certificate of the options is for the service, whichever servers it has.
            found: { metadata in
                let origins = [
                    metadata.tokenEndpoint, metadata.deviceEndpoint, metadata.revocationEndpoint,
                    metadata.pushedRequestEndpoint,
                ].compactMap { $0?.origin }
                try identities.install(in: current, at: SystemClock.unixSeconds, optionAlsoFor: Self.rules(of: origins))
            }
        )
        return try body(accounts)
    }

    /// Rules for those that are reached over TLS, each once.
    private static func rules(of origins: [Origin]) -> [String] {
        Set(origins.filter { $0.scheme == .https }.map { "\($0)" }).sorted()
    }
}

extension TokenAccount {
    /// Where its service is; `nil` if the profile does not name it.
    fileprivate var serviceOrigin: Origin? {
        switch self {
        case .oauth(let account): account.issuer?.origin
        case .arcGIS(let account): account.portal?.root.origin
        }
    }
}

extension ProfileContents {
    /// The account with tokens of a name or a URL.
    func tokenAccount(_ text: String) throws -> TokenAccount {
        if let account = tokenAccounts.first(where: { $0.name == text }) { return account }
        guard text.contains("://") else { throw TokenProblem.noAccount(text) }
        let url = try RequestURL(text)
        let (origin, path) = (url.location.origin, url.location.path)
        guard let account = tokenAccount(for: origin, path: path) ?? placedTokenAccount(for: origin, path: path) else {
            throw TokenProblem.noAccount(url.shown)
        }
        return account
    }
}

/// Runs the work of `login`, `logout` and `token`; an error is one line.
enum TokenVerb {
    static func run(_ verb: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let status as ExitCode {
            throw status
        } catch {
            complain(verb, RequestFailure.text(ofService: error))
            throw RequestFailure.isNo(error) ? CommandExit.answerWasNo : CommandExit.couldNotRun
        }
    }

    static func complain(_ verb: String, _ text: String) {
        StandardError.complain(verb, text)
    }
}
