internal import ArgumentParser
internal import WireFormat

/// Which request is sent, and how.
struct RequestOptions: ParsableArguments {
    @Argument(help: "The URL: https://wiki.example/start.")
    var url: String

    @Option(help: "The request method; by default GET, or POST with --data.")
    var method: String?

    @Flag(help: "Send HEAD, and print the status line and the fields of the response.")
    var head = false

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A field of the request; may be repeated. Credentials are not accepted here.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Option(
        help: ArgumentHelp(
            "The body of the request: @FILE, @- or - for standard input, otherwise the text itself.",
            valueName: "data"
        )
    )
    var data: String?

    @Option(help: ArgumentHelp("Send the request through this proxy, and ignore the environment.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Use no proxy, and ignore the environment.")
    var direct = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End the request after so many seconds, with its body. 0: no limit.", valueName: "seconds")
    )
    var maxTime = 0.0

    @Option(help: ArgumentHelp("Follow so many redirects.", valueName: "count"))
    var maxRedirects = 8

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities of this PEM file, and not those of the system.", valueName: "file")
    )
    var authorities: String?

    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "Present this client certificate to the server of the URL: PKCS#12, or PEM with its key or --cert-key.",
            valueName: "file"
        )
    )
    var certificate: String?

    @Option(
        name: .customLong("cert-key"),
        help: ArgumentHelp("The private key of --cert, in PEM.", valueName: "file")
    )
    var certificateKey: String?

    @Option(
        name: .customLong("cert-passphrase-file"),
        help: ArgumentHelp(
            "The passphrase of the client's key; without it the terminal asks if there is one.",
            valueName: "file"
        )
    )
    var certificatePassphrase: String?

    @OptionGroup var account: AccountOptions

    /// The longest `--max-time`: a day.
    static let mostSeconds = 86_400.0
    /// The largest `--max-redirects`.
    static let mostRedirects = 64

    func validate() throws {
        // The texts are not shown, because they may hold a secret.
        let texts = [("the URL", url), ("--method", method ?? ""), ("--proxy", proxy ?? "")]
        for (name, text) in texts + headers.map({ ("--header", $0) }) where !SystemPath.isUTF8(text) {
            throw ValidationError("Write \(name) in UTF-8.")
        }
        guard !head || method == nil && data == nil else {
            throw ValidationError("--head sends HEAD without a body: remove --method and --data.")
        }
        guard proxy == nil || !direct else { throw ValidationError("--direct uses no proxy: remove it or --proxy.") }
        guard maxTime >= 0, maxTime <= Self.mostSeconds else {
            throw ValidationError("--max-time takes 0 to \(Int(Self.mostSeconds)) seconds.")
        }
        guard (0...Self.mostRedirects).contains(maxRedirects) else {
            throw ValidationError("--max-redirects takes 0 to \(Self.mostRedirects).")
        }
        guard certificate != nil || certificateKey == nil && certificatePassphrase == nil else {
            throw ValidationError("--cert-key and --cert-passphrase-file belong to --cert: name the certificate, too.")
        }
    }

    /// The method that is sent.
    var sentMethod: String { head ? "HEAD" : method ?? (data == nil ? "GET" : "POST") }
}
