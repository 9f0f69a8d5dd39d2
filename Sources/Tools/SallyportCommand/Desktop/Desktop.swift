/// A desktop whose proxy setting is read.
enum Desktop: String {
    case gnome = "GNOME"
    case kde = "KDE"

    /// The variable that names the desktop of the session.
    static let variable = "XDG_CURRENT_DESKTOP"

    /// - Parameter names: the value of ``variable``, such as `ubuntu:GNOME`; the first known name counts.
    init?(session names: String) {
        let known = names.split(separator: ":").lazy.compactMap(Self.named).first
        guard let known else { return nil }
        self = known
    }

    private static func named(_ name: Substring) -> Desktop? {
        switch name {
        // Desktops that keep the setting in GNOME's place.
        case "GNOME", "Unity", "X-Cinnamon", "Pantheon": .gnome
        case "KDE": .kde
        default: nil
        }
    }

    /// What `explain` and errors call its setting.
    var place: String { "the desktop's setting (\(rawValue))" }
}
