internal import ArgumentParser
internal import CredentialStores
internal import NIOCore
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import Waiting

/// `sallyport logout NAME`: gives the tokens of an account back.
struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Removes the tokens of an account from the store, and lets the service take them back.",
        discussion: """
            The store is cleared first, of all accounts that are meant; then \(TokenLimits.revocationsAtOnce) services at once are asked. A secret of the application stays in the store: see sallyport credentials remove. Exit status: 0 the tokens are gone, here \
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
            let named = try account.map { [try contents.tokenAccount($0)] } ?? contents.tokenAccounts
            let chosen = named.filter { $0.needsStore && ($0.service != nil || !all) }
            if let account = named.first, !all, chosen.isEmpty { throw TokenProblem.needsNoSignIn(account.name) }
            let store = try options.store.open()
            // Shorter than a sign-in, because a person waits for nothing.
            let outcomes = try options.withAccounts(
                of: contents,
                "logout",
                for: chosen,
                limit: .seconds(10),
                store
            ) { accounts in try Blocking.run { try await SignOut.all(of: chosen, accounts) } }
            var (isNo, failed) = (false, false)
            for outcome in outcomes {
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

    /// Clears the store of all accounts, so that the end of the process leaves no tokens, and then asks the services.
    static func all(of accounts: [TokenAccount], _ world: TokenAccounts) async throws -> [SignOut] {
        var cleared: [Cleared] = []
        for account in accounts { cleared.append(try await clear(account, world)) }
        return await ParallelWork.results(of: cleared, atMost: TokenLimits.revocationsAtOnce) { await $0.revoked() }
    }

    /// An account whose tokens the store does not have any more, unless that failed.
    private struct Cleared: Sendable {
        let name: String
        let wasSignedIn: Bool
        let problem: CredentialStoreError?
        let revoke: @Sendable () async throws -> Bool

        func revoked() async -> SignOut {
            var (isRevoked, failure) = (false, nil as String?)
            do { isRevoked = try await revoke() } catch {
                failure =
                    "\(name): the service has not taken the tokens back, and this machine has none any more: "
                    + RequestFailure.text(ofService: error)
            }
            if let problem { failure = "\(name): the store still has the tokens: \(problem)" }
            return SignOut(
                name: name.inOneLine,
                wasSignedIn: wasSignedIn,
                isRevoked: isRevoked,
                isCleared: problem == nil,
                failure: failure
            )
        }
    }

    private static func clear(_ account: TokenAccount, _ world: TokenAccounts) async throws -> Cleared {
        switch account {
        case .oauth(let account):
            let source = try await world.source(of: account)
            let withdrawn = await source.withdraw()
            return Cleared(name: account.name, wasSignedIn: withdrawn.isToken, problem: withdrawn.failure) {
                try await source.revoke(withdrawn)
            }
        case .arcGIS(let account):
            let source = try await world.arcGISSource(of: account, grant: .signIn)
            let wasSignedIn = try await source.storedToken() != nil
            var problem: CredentialStoreError?
            do { _ = try await source.signOut() } catch { problem = error as? CredentialStoreError }
            return Cleared(name: account.name, wasSignedIn: wasSignedIn, problem: problem) { false }
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
