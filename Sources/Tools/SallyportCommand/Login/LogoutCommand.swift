internal import ArgumentParser
internal import CredentialStores
internal import NIOCore
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport

/// `sallyport logout NAME`: gives the tokens of an account back.
struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Lets the service take the tokens of an account back, and removes them from the store in any case.",
        discussion: """
            A secret of the application stays in the store: see sallyport credentials remove. Exit status: 0 the tokens are gone, here \
            and at the service if it takes tokens back; 1 a service did not take them back, or the account was not signed in; \
            2 could not run, so the store may still have tokens.
            """
    )

    @Argument(help: "The name of the account in the profile, or a URL for which it is meant.")
    var account: String?

    @Flag(help: "Sign all accounts of the profile out.")
    var all = false

    @Flag(help: "One JSON object a line: account, revoked, cleared, and what failed.")
    var json = false

    @OptionGroup var options: TokenOptions

    func validate() throws {
        guard (account == nil) == all else { throw ValidationError("Name an account, or give --all.") }
    }

    func run() throws {
        try TokenVerb.run("logout") {
            let contents = try options.contents("logout")
            let chosen = try account.map { [try contents.oauthAccount($0)] } ?? contents.oauthAccounts
            let store = try options.store.open()
            // Shorter than a sign-in, because a person waits for nothing.
            let accounts = try options.accounts(contents, "logout", limit: .seconds(10), store)
            var (isNo, failed) = (false, false)
            for account in chosen where account.issuer != nil || !all {
                let outcome = try Blocking.run { try await SignOut(account, accounts) }
                try StandardOutput.write(json ? outcome.json : outcome.text)
                if let failure = outcome.failure { TokenVerb.complain("logout", failure) }
                isNo = isNo || outcome.failure != nil || !outcome.wasSignedIn && !all
                failed = failed || !outcome.isCleared
            }
            if failed { throw CommandExit.couldNotRun }
            if isNo { throw CommandExit.answerWasNo }
        }
    }
}

/// What a sign-out of one account has done.
struct SignOut: Sendable {
    let name: String
    let wasSignedIn: Bool
    let isRevoked: Bool
    let isCleared: Bool
    /// What failed; `nil` if nothing did.
    let failure: String?

    init(_ account: OAuthAccount, _ accounts: TokenAccounts) async throws {
        name = account.name.inOneLine
        let source = try await accounts.source(of: account)
        var wasSignedIn = try await source.storedToken() != nil
        if !wasSignedIn { wasSignedIn = try await source.hasRefreshToken() }
        self.wasSignedIn = wasSignedIn
        do {
            isRevoked = try await source.signOut()
            (isCleared, failure) = (true, nil)
        } catch let error as CredentialStoreError {
            (isRevoked, isCleared) = (false, false)
            failure = "\(account.name): the store still has the tokens: \(error)"
        } catch {
            (isRevoked, isCleared) = (false, true)
            failure =
                "\(account.name): the service has not taken the tokens back, and this machine has none any more: "
                + RequestFailure.text(ofService: error)
        }
    }

    var text: String {
        if !wasSignedIn { return "'\(name)': was not signed in\n" }
        guard isCleared else { return "" }
        return
            "'\(name)': the store has no tokens any more\(isRevoked ? ", and the service has taken them back" : failure == nil ? "; the service takes no tokens back" : "")\n"
    }

    var json: String {
        JSONValue.object([
            ("account", .string(name)), ("signedIn", .string(wasSignedIn ? "yes" : "no")),
            ("revoked", .string(isRevoked ? "yes" : "no")), ("cleared", .string(isCleared ? "yes" : "no")),
            ("failure", JSONValue(failure)),
        ]).text + "\n"
    }
}
