internal import ArgumentParser
internal import SallyportNIO
internal import WireFormat

/// Which request is sent, and how.
struct RequestOptions: ParsableArguments {
    @Argument(help: "The URL: https://wiki.example/start.")
    var url: String

    @Option(
        name: [.customShort("X"), .customLong("request")],
        parsing: .unconditional,
        help: ArgumentHelp("The request method; by default GET, or POST with a body.", valueName: "method")
    )
    var method: String?

    @Flag(
        name: [.customShort("I"), .customLong("head")],
        help: "Send HEAD, and print the status line and the fields of the response."
    )
    var head = false

    @Option(
        name: [.customShort("H"), .customLong("header")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field of the request, or @FILE with one; may be repeated. 'Name:' sends no such field, 'Name;' an empty one. A secret, such as a cookie or a key, comes from a file.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Option(
        name: [.customShort("d"), .customLong("data")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body of the request: a text, or @FILE or @- (standard input) without line ends; several times for parts joined by '&'.",
            valueName: "data"
        )
    )
    var data: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The same, with every byte of @FILE or @-.", valueName: "data")
    )
    var dataBinary: [String] = []

    @Option(
        name: [.customShort("x"), .customLong("proxy")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send the request through this proxy, and ignore the environment. Without a port: 1080, or 443 for https://.",
            valueName: "url"
        )
    )
    var proxy: String?

    @Flag(help: "Use no proxy, and ignore the environment.")
    var direct = false

    @Option(
        name: [.customShort("m"), .customLong("max-time")],
        parsing: .unconditional,
        help: ArgumentHelp("End the request after so many seconds, with its body. 0: no limit.", valueName: "seconds")
    )
    var maxTime = 3_600.0

    @Option(help: ArgumentHelp("Follow so many redirects.", valueName: "count"))
    var maxRedirects = 8

    @Flag(
        name: [.customShort("L"), .customLong("location")],
        help: "Follow redirects, which is the default; --max-redirects 0 follows none."
    )
    var location = false

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show no progress. Errors are shown.")
    var silent = false

    @Flag(name: [.customShort("S"), .customLong("show-error")], help: .hidden)
    var showError = false

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities of this PEM file, and not those of the system.", valueName: "file")
    )
    var authorities: String?

    @Option(name: .customLong("allow-cipher"), help: ServerRules.cipherHelp, transform: OlderCipher.named)
    var olderCiphers: [OlderCipher] = []

    @Option(name: .customLong("crl"), help: ServerRules.listHelp)
    var revocationLists: [String] = []

    @Flag(
        help:
            "Ask at the terminal about a server that is not trusted. Its key is trusted at its host for 30 days if you type the beginning of its pin; trusted-keys.yaml beside the store remembers it."
    )
    var askTrust = false

    /// The longest `--max-time`: a day.
    static let mostSeconds = 86_400.0
    /// The largest `--max-redirects`.
    static let mostRedirects = 64

    func validate() throws {
        // The texts are not shown, because they may hold a secret.
        let texts = [("the URL", url), ("--request", method ?? ""), ("--proxy", proxy ?? "")]
        for (name, text) in texts + headers.map({ ("--header", $0) }) where !SystemPath.isUTF8(text) {
            throw ValidationError("Write \(name) in UTF-8.")
        }
        guard !head || method == nil && !hasBody else {
            throw ValidationError("--head sends HEAD without a body: remove --request, --data and --data-binary.")
        }
        guard data.isEmpty || dataBinary.isEmpty else {
            throw ValidationError("One option says what the body is: give --data or --data-binary.")
        }
        guard proxy == nil || !direct else { throw ValidationError("--direct uses no proxy: remove it or --proxy.") }
        guard maxTime >= 0, maxTime <= Self.mostSeconds else {
            throw ValidationError("--max-time takes 0 to \(Int(Self.mostSeconds)) seconds.")
        }
        guard (0...Self.mostRedirects).contains(maxRedirects) else {
            throw ValidationError("--max-redirects takes 0 to \(Self.mostRedirects).")
        }
        guard !location || maxRedirects > 0 else {
            throw ValidationError("--max-redirects 0 follows no redirect: remove it or --location.")
        }
    }

    /// The method that is sent.
    var sentMethod: String { head ? "HEAD" : method ?? (hasBody ? "POST" : "GET") }

    /// Whether the request has a body, which may be empty.
    var hasBody: Bool { !data.isEmpty || !dataBinary.isEmpty }
}
