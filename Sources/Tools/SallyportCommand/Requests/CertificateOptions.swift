internal import ArgumentParser
internal import Credentials
internal import ProfileFiles
internal import Sallyport
internal import WireFormat

/// The client certificate of a command: in files, or kept in the store.
struct CertificateOptions: ParsableArguments {
    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "Present this client certificate if the server, or the parent of a relay, asks: PKCS#12, or PEM with its key or --cert-key, or the pkcs11: URI of a smart card with its module-path.",
            valueName: "file"
        )
    )
    var file: String?

    @Option(
        name: .customLong("cert-key"),
        help: ArgumentHelp("The private key of --cert, in PEM or DER.", valueName: "file")
    )
    var key: String?

    @Option(
        name: .customLong("cert-passphrase-file"),
        help: ArgumentHelp(
            "The passphrase of the client's key, or the PIN of its card; without it the terminal asks if there is one.",
            valueName: "file"
        )
    )
    var passphrase: String?

    @Option(
        name: .customLong("cert-identity"),
        help: ArgumentHelp(
            "Present this identity of the store, as 'sallyport identity list' names it.",
            valueName: "name"
        )
    )
    var kept: String?

    /// Whether they name a certificate.
    var isGiven: Bool { file != nil || kept != nil }

    private var isOnCard: Bool { file.map(OptionFile.namesCard) == true }

    func validate() throws {
        guard file != nil || key == nil && passphrase == nil else {
            throw ValidationError("--cert-key and --cert-passphrase-file belong to --cert: name the certificate, too.")
        }
        guard key == nil || !isOnCard else {
            throw ValidationError("The key of --cert is on the card: remove --cert-key.")
        }
        guard file == nil || kept == nil else {
            throw ValidationError("One client certificate is presented: give --cert or --cert-identity.")
        }
    }

    /// A kept identity needs the store.
    func validate(noStore: Bool) throws {
        guard kept == nil || !noStore else {
            throw ValidationError("--cert-identity is one of the store, and --no-store uses none: remove one of them.")
        }
    }

    /// What the certificate is called in messages.
    static let name = "--cert"

    /// Where the certificate is, for these servers; `nil` without one. The file of its passphrase is read.
    ///
    /// - Throws: an error that does not show what may be a passphrase.
    func identity(for sites: [String]) throws -> ProfileIdentity? {
        if let kept {
            return ProfileIdentity(name: Self.name, place: .store(kept), secret: nil, sites: sites, line: nil)
        }
        return try file.map { file in
            if !isOnCard, let path = Self.fileBeforePassphrase(file) { throw RequestProblem.passphraseInArgument(path) }
            let place: ProfileIdentity.Place =
                isOnCard ? .card(file) : key.map { .pem(file, key: $0) } ?? .pkcs12(file)
            let secret = try passphrase.map { path in try SecretReference.file(path: path).load(strict: true) }
            return ProfileIdentity(name: Self.name, place: place, secret: secret, sites: sites, line: nil)
        }
    }

    /// The file of `FILE:PASSPHRASE`, which curl takes; `nil` if the whole is a file, or has no colon.
    ///
    /// The passphrase may hold colons: the first file that exists ends before it. If none exists, the name ends before the first colon.
    private static func fileBeforePassphrase(_ text: String) -> String? {
        guard !FileReading.exists(text) else { return nil }
        let names = text.indices.filter { text[$0] == ":" }.map { String(text[..<$0]) }
        return names.first { !$0.isEmpty && FileReading.exists($0) } ?? names.first
    }
}
