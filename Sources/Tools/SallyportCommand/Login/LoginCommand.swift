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
internal import Secrets
internal import WireFormat

/// `sallyport login NAME`: gets the tokens of an account.
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in at an OAuth service, and keeps the tokens in the sealed store.",
        discussion: """
            The account stands in the profile, with 'oauth'. Where a user signs in, this prints an address for a browser on this \
            machine, and waits for the browser to come back; with --device it prints an address and a code for a browser on any \
            machine. sallyport get and explain then send the account's token, and renew it. A secret of the application comes from \
            the place that the profile names, or is asked for at the terminal and kept in the store. Exit status: 0 signed in, \
            1 the service or the user refused, or did not decide in time, 2 could not run.
            """
    )

    @Argument(help: "The name of the account in the profile, or a URL for which it is meant.")
    var account: String

    @Flag(help: "Sign in with a browser on another device.")
    var device = false

    @Flag(help: "Open the address with xdg-open. Other users of the machine can read the arguments of programs.")
    var browser = false

    @Option(
        help: ArgumentHelp(
            "Wait so long for the browser: 300 without this option, and with --device as long as the code is good.",
            valueName: "seconds"
        )
    )
    var wait: Int?

    @Flag(help: "One JSON object a line: the address, then what was granted.")
    var json = false

    @OptionGroup var options: TokenOptions

    /// How long a browser on this machine may take without `--wait`.
    static let usualSeconds = 300
    /// The longest `--wait`: an hour.
    static let mostSeconds = 3_600

    func validate() throws {
        guard (1...Self.mostSeconds).contains(wait ?? Self.usualSeconds) else {
            throw ValidationError("--wait takes 1 to \(Self.mostSeconds) seconds.")
        }
        guard !device || !browser else {
            throw ValidationError("--device needs no browser on this machine: remove it or --browser.")
        }
    }

    func run() throws {
        try TokenVerb.run("login") {
            let contents = try options.contents("login")
            let account = try contents.oauthAccount(account)
            guard account.grant != .clientCredentials || !device && !browser else {
                throw TokenProblem.notOfUser(account.name)
            }
            let opened = try options.store.openOrMake {}
            for made in opened.made { StandardError.write("made \(made)\n") }
            let accounts = try options.accounts(contents, "login", limit: .seconds(30), opened.store)
            let (kept, refresh) = try Blocking.run { try await signIn(account, accounts, opened.store) }
            let report = TokenReport(account, kept, granted: SystemClock.unixSeconds, hasRefresh: refresh)
            try StandardOutput.write(json ? report.json(reveal: false) : "signed in: \(report.sentence)\n")
        }
    }

    /// Gets and keeps the tokens; returns what is kept.
    private func signIn(
        _ account: OAuthAccount,
        _ accounts: TokenAccounts,
        _ store: any CredentialStore
    ) async throws -> (KeptToken, hasRefresh: Bool) {
        guard let issuer = account.issuer else {
            let found = try await accounts.discovery.issuer(of: account.wish.resources[0])
            throw TokenProblem.issuerFound(account.name, issuer: found.path == "/" ? "\(found.origin)" : "\(found)")
        }
        let metadata: ServerMetadata
        do {
            metadata = try await accounts.discovery.metadata(of: issuer)
        } catch let error as TokenServiceError {
            throw TokenProblem.noDescription(issuer: "\(issuer)", reason: "\(error)")
        }
        let typed = try await typedSecret(account, issuer, accounts)
        var client = typed.map { typed in
            OAuthClient(
                id: account.client,
                authentication: account.isSecretInBody ? .post(typed) : .basic(typed),
                tokenEndpoint: metadata.tokenEndpoint
            )
        }
        if client == nil { client = try await accounts.client(of: account, issuer, metadata) }
        guard let client else { throw TokenProblem.noSecret(account.name) }
        let grant = try await grant(account, client, metadata, accounts.service)
        if let typed {
            // After the service has taken it.
            let name = TokenAccounts.secretName(of: account, issuer)
            try await store.save(StoredCredential(name: name, secret: typed, created: SystemClock.unixSeconds))
        }
        try await accounts.source(of: account).signedIn(grant)
        return (KeptToken(grant.access, issuer: "\(issuer)"), grant.refresh != nil)
    }

    /// The secret of the application that a person types, if it belongs into the store and is not there; otherwise `nil`.
    private func typedSecret(
        _ account: OAuthAccount,
        _ issuer: ServiceURL,
        _ accounts: TokenAccounts
    ) async throws -> SharedSecret? {
        guard case .secret(.store, _) = account.proof, try await accounts.keptSecret(of: account, issuer) == nil else {
            return nil
        }
        return try await TypedSecret.typed("Secret of the client \(account.client.inOneLine) at \(issuer): ")
    }

    private func grant(
        _ account: OAuthAccount,
        _ client: OAuthClient,
        _ metadata: ServerMetadata,
        _ service: TokenService
    ) async throws -> TokenGrant {
        let send: OAuthTokenSource.Sender = { try await service.send($0) }
        switch device ? .device : account.grant {
        case .clientCredentials:
            let now = SystemClock.unixSeconds
            return try client.grant(from: try await send(client.clientCredentials(account.wish)), at: now)
        case .device:
            guard let endpoint = metadata.deviceEndpoint else { throw TokenProblem.noDevicePage(account.name) }
            let isJSON = json
            return try await Self.within(wait) {
                try await DeviceAuthorization.signIn(
                    client,
                    at: endpoint,
                    account.wish,
                    send: send,
                    notice: { StandardError.write("sallyport login: \($0)\n") },
                    show: { try StandardOutput.write(LoginText.device($0, json: isJSON)) }
                )
            }
        case .code: return try await codeGrant(account, client, metadata, send)
        }
    }

    /// Ends the sign-in after `seconds`; without them it ends with its code.
    private static func within(
        _ seconds: Int?,
        _ signIn: @escaping @Sendable () async throws -> TokenGrant
    ) async throws -> TokenGrant {
        guard let seconds else { return try await signIn() }
        return try await withThrowingTaskGroup(of: TokenGrant.self) { group in
            group.addTask(operation: signIn)
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw TokenProblem.notDecided(seconds: seconds)
            }
            defer { group.cancelAll() }
            guard let grant = try await group.next() else { throw CancellationError() }
            return grant
        }
    }

    private func codeGrant(
        _ account: OAuthAccount,
        _ client: OAuthClient,
        _ metadata: ServerMetadata,
        _ send: OAuthTokenSource.Sender
    ) async throws -> TokenGrant {
        let service = try AuthorizationRequest.Service(metadata)
        let wait = wait ?? Self.usualSeconds
        let listener = try await RedirectListener.start(at: account.redirect ?? RedirectListener.standardRedirect)
        let authorization = AuthorizationRequest(client, service, redirect: listener.redirect, wish: account.wish)
        do {
            try StandardOutput.write(LoginText.browser(authorization.url, seconds: wait, json: json))
            if browser { try LoginBrowser.open(authorization.url) }
        } catch {
            await listener.close()
            throw error
        }
        let code = try await listener.code(for: authorization, limit: .seconds(Int64(wait)))
        let now = SystemClock.unixSeconds
        return try client.grant(from: try await send(authorization.tokenRequest(for: code)), at: now)
    }
}

extension OAuthAccount {
    fileprivate var isSecretInBody: Bool {
        if case .secret(_, inBody: true) = proof { true } else { false }
    }
}

/// What a person reads while a sign-in waits.
enum LoginText {
    static func browser(_ url: String, seconds: Int, json: Bool) -> String {
        if json {
            return JSONValue.object([("open", .string(url)), ("seconds", .integer(UInt64(seconds)))]).text + "\n"
        }
        return "open this address in a browser on this machine, within \(seconds) s (^C cancels):\n\(url.inOneLine)\n"
    }

    /// The texts come from the service, so they stay in their line.
    static func device(_ shown: DeviceAuthorization, json: Bool) -> String {
        if json {
            return JSONValue.object([
                ("open", .string(shown.page)), ("code", .string(shown.userCode)),
                ("link", JSONValue(shown.completePage)),
                ("until", .string(Timestamp.text(unixSeconds: shown.expiry))),
            ]).text + "\n"
        }
        let link = shown.completePage.map { "or open this address, which has the code: \($0.inOneLine)\n" } ?? ""
        return """
            open this address on any device: \(shown.page.inOneLine)
            and type this code, until \(Timestamp.text(unixSeconds: shown.expiry)) (^C cancels): \(shown.userCode.inOneLine)
            \(link)
            """
    }
}

/// Opens an address for the user.
enum LoginBrowser {
    static func open(_ url: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["xdg-open", url]
        process.standardInput = FileHandle.nullDevice
        // Browsers write to both.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { throw TokenProblem.browser(error.localizedDescription) }
    }
}
