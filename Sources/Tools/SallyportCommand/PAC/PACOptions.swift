internal import ArgumentParser

/// Which PAC file chooses the proxies.
struct PACOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A PAC file that chooses the proxies, as a file or an http or https URL. Only proxies that another option or the profile names get credentials.",
            valueName: "file"
        )
    )
    var pac: String?

    @Flag(
        help:
            "Find the PAC file by WPAD: http://wpad.DOMAIN/wpad.dat for the search domains of this machine. Whoever answers for that name chooses the proxies."
    )
    var wpad = false

    /// Whether a script chooses.
    var isGiven: Bool { pac != nil || wpad }

    func validate() throws {
        guard pac == nil || !wpad else { throw ValidationError("--pac names the file that --wpad finds: give one.") }
    }
}
