internal import ArgumentParser
internal import OfflineVerbs

/// Which PAC file, or which desktop, chooses the proxies.
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

    @Flag(
        help:
            "Use the proxies, or the PAC file, of the desktop's setting: GNOME's or KDE's, as XDG_CURRENT_DESKTOP says."
    )
    var desktopProxy = false

    /// The options that are given.
    private var given: [String] {
        [pac.map { _ in "--pac" }, wpad ? WPADSearch.option : nil, desktopProxy ? DesktopSetting.option : nil]
            .compactMap(\.self)
    }

    /// The option that is given; `nil` if neither a script nor a desktop chooses.
    var option: String? { given.first }

    /// The setting of the desktop, if it chooses. Blocks the calling thread.
    ///
    /// - Throws: ``DesktopProblem``.
    func desktop(_ verb: String) throws -> DesktopSetting? {
        guard desktopProxy else { return nil }
        return try DesktopSetting.ofSession { StandardError.complain(verb, $0) }
    }

    func validate() throws {
        guard given.count < 2 else {
            throw ValidationError("\(given.joined(separator: " and ")) both say who chooses the proxies: give one.")
        }
    }
}
