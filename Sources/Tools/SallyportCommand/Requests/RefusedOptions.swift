internal import ArgumentParser

/// Options of curl that `get` and `explain` refuse, because a person who types one should hear the reason and what to type here.
///
/// Their values are not shown.
struct RefusedOptions: ParsableArguments {
    @Flag(name: [.customShort("k"), .customLong("insecure")], help: .hidden) var insecure = false
    @Flag(name: [.customShort("i"), .customLong("include")], help: .hidden) var include = false
    @Flag(name: [.customShort("f"), .customLong("fail")], help: .hidden) var fail = false
    @Flag(name: [.customShort("O"), .customLong("remote-name")], help: .hidden) var remoteName = false
    @Flag(name: [.customShort("G"), .customLong("get")], help: .hidden) var get = false
    @Flag(help: .hidden) var anyauth = false
    @Flag(help: .hidden) var basic = false
    @Flag(help: .hidden) var digest = false
    @Flag(help: .hidden) var ntlm = false
    @Flag(help: .hidden) var negotiate = false
    @Option(name: [.customShort("b"), .customLong("cookie")], parsing: .unconditional, help: .hidden) var cookie:
        String?
    @Option(name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional, help: .hidden)
    var userAgent: String?
    @Option(name: [.customShort("e"), .customLong("referer")], parsing: .unconditional, help: .hidden)
    var referer: String?
    @Option(name: [.customShort("F"), .customLong("form")], parsing: .unconditionalSingleValue, help: .hidden)
    var form: [String] = []
    @Option(name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditional, help: .hidden)
    var uploadFile: String?
    @Option(name: .customShort("E"), parsing: .unconditional, help: .hidden) var certificate: String?
    @Option(name: .customLong("key"), parsing: .unconditional, help: .hidden) var key: String?
    @Option(name: .customLong("cert-type"), parsing: .unconditional, help: .hidden) var certificateType: String?
    @Option(name: .customLong("pass"), parsing: .unconditional, help: .hidden) var passphrase: String?
    @Option(name: .customLong("oauth2-bearer"), parsing: .unconditional, help: .hidden) var bearer: String?

    func validate() throws {
        guard !negotiate else {
            throw ValidationError(
                "--negotiate is not known: give --kerberos, which answers with your ticket, or a profile whose 'schemes' have negotiate."
            )
        }
        let scheme = [
            ("anyauth", anyauth), ("basic", basic), ("digest", digest), ("ntlm", ntlm),
        ]
        .first { $0.1 }?.0
        let reasons: [(isGiven: Bool, reason: String)] = [
            (
                insecure,
                "--insecure would send passwords to an unproven server: trust the server's authority with --cacert FILE, or its key with --ask-trust."
            ),
            (
                include,
                "--include would mix the fields with the body: --verbose shows them on standard error, and --head shows them alone."
            ),
            (fail, "--fail is the default: a status other than 2xx ends with 1. Leave it out."),
            (remoteName, "--remote-name would let the URL choose a file: name it with --output FILE."),
            (get, "--get is not known: write the data behind a '?' in the URL."),
            (
                scheme != nil,
                "--\(scheme ?? "") is not known: the client takes the strongest scheme that the server offers and the profile allows. "
                    + "To allow fewer, list 'schemes' in a profile."
            ),
            (
                cookie != nil,
                "--cookie would show a secret to other processes: put the field into a file, and give --header @FILE."
            ),
            (
                bearer != nil,
                "--oauth2-bearer would show a secret to other processes: name the token's file in a profile."
            ),
            (
                certificate != nil,
                "-E is not known: give --cert FILE, and the file of its passphrase with --cert-passphrase-file."
            ),
            (key != nil, "--key is not known: give --cert-key FILE."),
            (
                certificateType != nil,
                "--cert-type is not known: --cert takes PKCS#12 and PEM as they are. Leave it out."
            ),
            (
                passphrase != nil,
                "--pass would show a secret to other processes: put the passphrase into a file, and give --cert-passphrase-file FILE."
            ),
            (userAgent != nil, "--user-agent is not known: give --header 'User-Agent: NAME'."),
            (referer != nil, "--referer is not known: give --header 'Referer: URL'."),
            (!form.isEmpty, "--form is not known, because no multipart bodies are made: give --data or --data-binary."),
            (uploadFile != nil, "--upload-file is not known: give --request PUT --data-binary @FILE."),
        ]
        if let given = reasons.first(where: \.isGiven) { throw ValidationError(given.reason) }
    }
}
