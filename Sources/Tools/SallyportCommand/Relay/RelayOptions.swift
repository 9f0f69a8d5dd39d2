internal import ArgumentParser
internal import SallyportRelay
internal import ServiceSockets

/// Where a relay listens, where its parent is, and whose accounts it uses.
struct RelayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The corporate proxy: HOST:PORT, https://HOST:PORT for one that is reached over TLS, or socks5://HOST:PORT; several times for others that are used while the first one cannot be reached.",
            valueName: "proxy"
        )
    )
    var parent: [String] = []

    @OptionGroup var script: PACOptions

    @Option(
        help: ArgumentHelp(
            "Listen here, and not on \(ListenAddress.standard); several times for several addresses, with https:// before those with TLS. All are of loopback, unless --clients, --client-accounts, --client-directory or --client-keytab is given.",
            valueName: "address:port"
        )
    )
    var listen: [String] = []

    @OptionGroup var mapped: MappingOptions

    @OptionGroup var forwarding: ForwardingOptions

    @OptionGroup var client: ClientOptions

    @Option(
        help: ArgumentHelp(
            "Sites, schemes, accounts and pins. Without it: the parent alone, and NTLM, Digest or what --basic or --kerberos allows.",
            valueName: "file"
        )
    )
    var profile: String?

    @Flag(
        help: """
            Answer the parents and mapped servers with your Kerberos ticket, and ask for no password. A parent need not prove itself: \
            Squid cannot.
            """
    )
    var kerberos = false

    @Flag(
        help: "Allow Basic at a parent that is reached in clear text, where everyone on the path reads the password."
    )
    var basic = false

    @Option(
        help: ArgumentHelp(
            "The addresses and networks whose clients may use listeners beyond loopback, in the form of NO_PROXY. They use your account, without a log-on unless --client-accounts, --client-directory or --client-keytab is given.",
            valueName: "list"
        )
    )
    var clients: String?

    @Option(
        name: .customLong("no-proxy"),
        help: ArgumentHelp(
            "Servers that are reached without the corporate proxy, in the form of the variable NO_PROXY.",
            valueName: "list"
        )
    )
    var noProxy: String?

    @Option(
        name: .customLong("direct-sites"),
        help: ArgumentHelp("The same as a list of rules, one a line: see sallyport sites.", valueName: "file")
    )
    var directSites: String?

    @Option(
        name: .customLong("allow-destination"),
        help: ArgumentHelp(
            "Loopback and link-local servers that are served all the same, and proxies there that a PAC file may name, in the form of NO_PROXY.",
            valueName: "list"
        )
    )
    var allowDestination: String?

    @Flag(
        name: .customLong("answer-servers"),
        help: "Answer servers too, over http, where the profile has an account for them: for every client of the relay."
    )
    var answerServers = false

    @Flag(name: .customLong("no-store"), help: "Use no sealed store: a password that is typed is forgotten at the end.")
    var noStore = false

    func validate() throws {
        let isChosen = !parent.isEmpty || script.option != nil
        guard isChosen || !mapped.map.isEmpty && listen.isEmpty else {
            throw ValidationError(
                "Nothing says where requests go: give --parent, --pac, --wpad, --desktop-proxy, or --map alone."
            )
        }
        guard isChosen || !forwarding.directFallback else {
            throw ValidationError(
                "Without a parent everything goes directly: give --parent, --pac, --wpad or --desktop-proxy, or leave --direct-fallback out."
            )
        }
        guard noProxy == nil || directSites == nil else {
            throw ValidationError("One list says what needs no proxy: give --no-proxy or --direct-sites.")
        }
        guard profile != nil || !answerServers else {
            throw ValidationError(
                "A profile names the servers and their accounts: give --profile with --answer-servers."
            )
        }
        guard profile != nil || client.identity.isEmpty else {
            throw ValidationError("A profile has the accounts of --identity: give --profile, too.")
        }
        guard profile == nil || !kerberos else {
            throw ValidationError(
                "The profile says who answers: write 'kerberos: true' in its account, and leave --kerberos out."
            )
        }
        guard !kerberos || !basic else {
            throw ValidationError("A ticket answers, and no password: leave out --basic or --kerberos.")
        }
        guard profile == nil || !basic else {
            throw ValidationError(
                "The profile says what is allowed: write 'cleartext: true' there, and leave --basic out."
            )
        }
    }

    /// The parents.
    func parents() throws(RelayProblem) -> [RelayParent] {
        var parents: [RelayParent] = []
        for text in parent {
            do throws(RelayParentError) { parents.append(try RelayParent(parsing: text)) } catch {
                throw .parent(error)
            }
        }
        return parents
    }

    var namesListeners: Bool { !listen.isEmpty }

    /// The addresses to listen on.
    func listeners() throws(ListenAddressError) -> [ListenAddress] {
        guard namesListeners else { return parent.isEmpty && script.option == nil ? [] : [.standard] }
        var addresses: [ListenAddress] = []
        for text in listen { addresses.append(try ListenAddress(parsing: text)) }
        return addresses
    }
}
