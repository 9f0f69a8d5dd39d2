internal import ArgumentParser
internal import Credentials
internal import WireFormat

/// Where a request gets its account from. A password is never an argument, which other processes can read.
struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The security profile (YAML); without it only the URL's own origin may get credentials.",
            valueName: "file"
        )
    )
    var profile: String?

    @Option(
        name: [.customShort("u"), .customLong("user")],
        help: #"Answer the server as this account of the profile, or as this user: jdoe, 'ACME\jdoe'."#
    )
    var user: String?

    @Option(name: [.customShort("U"), .customLong("proxy-user")], help: "Answer the proxy as this user.")
    var proxyUser: String?

    @Flag(
        help:
            "Answer the URL's server and the proxy with your Kerberos ticket, and ask for no password. Without --profile."
    )
    var kerberos = false

    @Flag(help: "Let Basic show the password over plain http, where the profile does not decide.")
    var cleartext = false

    @Flag(name: [.customShort("n"), .customLong("netrc")], help: "Look the password up in ~/.netrc.")
    var netrc = false

    @Option(help: ArgumentHelp("Look the password up in this netrc file.", valueName: "file"))
    var netrcFile: String?

    @Flag(help: "Ask the credential helpers of git for the password.")
    var git = false

    @Flag(help: "Do not look into the sealed store.")
    var noStore = false

    @Flag(help: "Do not ask at the terminal.")
    var noPrompt = false

    func validate() throws {
        for (name, text) in [("--user", user ?? ""), ("--proxy-user", proxyUser ?? "")]
        where !SystemPath.isUTF8(text) || text.isEmpty && (name == "--user" ? user : proxyUser) != nil {
            throw ValidationError("\(name) takes a name in UTF-8.")
        }
        for (name, text) in [("--user", user), ("--proxy-user", proxyUser)] {
            if let defect = text.flatMap(LoginDefect.init) { throw ValidationError("\(name): \(defect).") }
        }
        guard profile == nil || !kerberos else {
            throw ValidationError(
                "The profile says who answers: write 'kerberos: true' in its account, and leave --kerberos out."
            )
        }
        guard !kerberos || user == nil && proxyUser == nil && !cleartext && !netrc && netrcFile == nil && !git else {
            throw ValidationError(
                "A ticket says who you are, and no password answers: leave out --kerberos, or --user, --proxy-user, --cleartext, --netrc and --git."
            )
        }
        guard user?.contains(":") != true, proxyUser?.contains(":") != true else {
            throw ValidationError(
                "A user name has no ':': write only the name, because a password in an argument is visible to other processes. Keep the "
                    + "password with sallyport credentials add, or type it at the terminal."
            )
        }
    }
}
