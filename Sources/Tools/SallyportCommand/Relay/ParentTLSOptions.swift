internal import ArgumentParser
internal import OfflineVerbs
internal import SallyportNIO

/// TLS to the parents and mapped servers of a relay. Pins are those of the profile.
struct ParentTLSOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Trust the authorities of this PEM file, beside those of the system, for parents and mapped servers.",
            valueName: "file"
        )
    )
    var authorities: String?

    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "Present this client certificate to https parents: PKCS#12, or PEM with its key or --cert-key.",
            valueName: "file"
        )
    )
    var certificate: String?

    @Option(
        name: .customLong("cert-key"),
        help: ArgumentHelp("The private key of --cert, in PEM.", valueName: "file")
    )
    var key: String?

    @Option(
        name: .customLong("cert-passphrase-file"),
        help: ArgumentHelp(
            "The passphrase of the client's key; without it the terminal asks if there is one.",
            valueName: "file"
        )
    )
    var passphrase: String?

    func validate() throws {
        guard certificate != nil || key == nil && passphrase == nil else {
            throw ValidationError("--cert-key and --cert-passphrase-file belong to --cert: name the certificate, too.")
        }
    }

    /// Reads the client certificate; asks for a passphrase if one is needed. Blocks the calling thread.
    func identity() throws -> RequestIdentity? {
        guard let certificate else { return nil }
        return try RequestIdentity(certificate, key: key, passphraseFile: passphrase, mayAsk: true)
    }

    func settings(_ identity: RequestIdentity?) throws -> TLSSettings {
        var settings = TLSSettings()
        if let authorities { settings.roots = .systemAnd(try PinsInput.certificates(of: authorities, "relay")) }
        if let identity { settings.identityKeys[RequestIdentity.name] = try identity.key() }
        return settings
    }
}
