internal import ArgumentParser
internal import CredentialStores
internal import Foundation
internal import NIOCore
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import WireFormat

/// Which profile the accounts are in, and how their services are reached.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The security profile (YAML), whose accounts with 'oauth' are meant.", valueName: "file")
    )
    var profile: String

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities of this PEM file, and not those of the system.", valueName: "file")
    )
    var authorities: String?

    @Option(name: .customLong("allow-cipher"), help: ServerRules.cipherHelp, transform: OlderCipher.named)
    var olderCiphers: [OlderCipher] = []

    @Option(help: ArgumentHelp("Reach the service through this proxy, and ignore the environment.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Use no proxy, and ignore the environment.")
    var direct = false

    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard proxy == nil || !direct else { throw ValidationError("--direct uses no proxy: remove it or --proxy.") }
    }

    /// Reads the profile.
    func contents(_ verb: String) throws -> ProfileContents {
        let contents = try ProfileReader.contents(ArgumentPath.url(profile), at: SystemClock.unixSeconds) {
            StandardError.complain(verb, "\($0)")
        }
        guard !contents.oauthAccounts.isEmpty else { throw TokenProblem.noAccounts(profile: profile) }
        return contents
    }

    /// The accounts with a way to their services.
    ///
    /// - Parameters:
    ///   - limit: how long a service may take.
    ///   - store: is opened already.
    func accounts(
        _ contents: ProfileContents,
        _ verb: String,
        limit: TimeAmount,
        _ store: any CredentialStore
    ) throws -> TokenAccounts {
        let proxies = try ProxyChoice(option: proxy, isDirect: direct)
        var tls = TLSSettings()
        if let authorities { tls.roots = .certificates(try ServerRules.roots(of: authorities, verb)) }
        tls.olderCiphers = olderCiphers
        var settings = ClientSettings()
        settings.proxy = { proxies.proxy(for: $0)?.origin }
        let current = CurrentHandler(ChallengeHandler(contents.compiled))
        return TokenAccounts(
            accounts: contents.oauthAccounts,
            service: try TokenService(tls: TLSConnector(tls, current), settings: settings, limit: limit),
            store: Once { store }
        )
    }
}

extension ProfileContents {
    /// The OAuth account of a name or a URL.
    func oauthAccount(_ text: String) throws -> OAuthAccount {
        if let account = oauthAccounts.first(where: { $0.name == text }) { return account }
        guard text.contains("://") else { throw TokenProblem.noAccount(text) }
        let url = try RequestURL(text)
        guard let account = oauthAccount(for: url.location.origin, path: url.location.path) else {
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
