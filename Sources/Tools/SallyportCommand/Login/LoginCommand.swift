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
        abstract: "Signs in at an OAuth service or an ArcGIS portal, and keeps the tokens in the sealed store.",
        discussion: """
            The account stands in the profile, with 'oauth' or 'arcgis'. Where a user signs in, this prints an address for a browser on this \
            machine, and waits for the browser to come back; with --device it prints an address and a code for a browser on any \
            machine. sallyport get and explain then send the account's token, and renew it. A secret of the application comes from \
            the place that the profile names, or is asked for at the terminal and kept in the store. With a key of the application each \
            request has an assertion; with 'certificate: true' the service sees the client certificate of 'identities' or --cert. An \
            authorization is pushed to the service first if the service demands that, or offers it to an application that proves \
            itself. A password for ArcGIS without a place in the profile is asked for, and only the token is kept. \
            'signed-in-seconds' of the account ends a sign-in, whatever was renewed. Exit status: 0 signed in, \
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
            let account = try contents.tokenAccount(account)
            switch account {
            case .oauth(let account):
                guard account.grant != .clientCredentials || !device && !browser else {
                    throw TokenProblem.notOfUser(account.name)
                }
            case .arcGIS(let account):
                // Nothing that an option of a browser could change.
                guard !device, !browser, wait == nil else { throw TokenProblem.noBrowser(account.name) }
                if case .token = account.way { throw TokenProblem.needsNoSignIn(account.name) }
            }
            let opened = try options.store.openOrMake {}
            for made in opened.made { StandardError.write("made \(made)\n") }
            let report = try options.withAccounts(
                of: contents,
                "login",
                for: [account],
                limit: .seconds(30),
                opened.store
            ) { accounts in
                try Blocking.run { try await signIn(account, accounts, opened.store) }
            }
            try StandardOutput.write(json ? report.json(reveal: false) : "signed in: \(report.sentence)\n")
        }
    }

    private func signIn(
        _ account: TokenAccount,
        _ accounts: TokenAccounts,
        _ store: any CredentialStore
    ) async throws -> TokenReport {
        switch account {
        case .oauth(let oauth):
            let signIn = OAuthSignIn(
                account: oauth,
                accounts: accounts,
                store: store,
                isOnDevice: device,
                opensBrowser: browser,
                wait: wait,
                json: json
            )
            let (kept, hasRefresh) = try await signIn.run()
            let now = SystemClock.unixSeconds
            return TokenReport(account, kept, granted: now, signIn: now, hasRefresh: hasRefresh)
        case .arcGIS(let portal):
            var grant: ArcGISTokenSource.Grant?
            if case .user(let user, password: nil) = portal.way {
                let place = account.service.map { " at \($0)" } ?? ""
                let password = try await TypedSecret.typed(
                    "password of \(user.inOneLine)\(place.inOneLine)",
                    else: "name its place with 'password' of the account in the profile"
                )
                grant = .password(user: user, password)
            }
            let source = try await accounts.arcGISSource(of: portal, grant: grant)
            let kept = KeptToken(try await source.signIn(), issuer: "")
            return TokenReport(account, kept, granted: SystemClock.unixSeconds, signIn: nil, hasRefresh: false)
        }
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
