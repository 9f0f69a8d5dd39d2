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

    @Option(name: .customLong("allow-cipher"), help: ServerRules.cipherHelp, transform: OlderCipher.named)
    var olderCiphers: [OlderCipher] = []

    @Option(name: .customLong("crl"), help: ServerRules.listHelp)
    var revocationLists: [String] = []

    func settings(_ identities: CommandIdentities) throws -> TLSSettings {
        var settings = TLSSettings()
        if let authorities { settings.roots = .systemAnd(try ServerRules.roots(of: authorities, "relay")) }
        settings.olderCiphers = olderCiphers
        identities.addKeys(to: &settings)
        return settings
    }
}
