internal import Foundation

/// What the desktop of the session says about proxies.
struct DesktopSetting: Sendable {
    /// How the setting chooses.
    enum Choice: Sendable {
        /// Proxies for each scheme, or none at all.
        case proxies(DesktopProxies)
        /// A PAC file: a path or a URL.
        case script(String)
        /// A PAC file that WPAD finds.
        case search
    }

    static let option = "--desktop-proxy"

    let desktop: Desktop
    let choice: Choice

    /// The setting of the desktop that `XDG_CURRENT_DESKTOP` names. Runs a program or reads files, and blocks the calling thread.
    ///
    /// - Parameter warn: gets to know each exception of the setting that no rule can express.
    /// - Throws: ``DesktopProblem``.
    static func ofSession(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        warn: (String) -> Void
    ) throws -> DesktopSetting {
        guard let desktop = Desktop(session: environment[Desktop.variable] ?? "") else {
            throw DesktopProblem(
                nil,
                "\(Desktop.variable) names no desktop whose setting is known: set it to GNOME or KDE, or name the proxy with another option"
            )
        }
        func read(_ problem: String) { warn("\(option): \(desktop.place): \(problem)") }
        let choice =
            switch desktop {
            case .gnome: try GNOMEProxies(Blocking.run { try await GNOMEProxies.output() }).choice(warn: read)
            case .kde:
                try KDEProxies(
                    KDESettingFiles.values(in: KDESettingFiles.folders(environment)),
                    environment: environment
                )
                .choice(warn: read)
            }
        return DesktopSetting(desktop: desktop, choice: choice)
    }

    /// What `explain` and errors call it.
    var place: String { desktop.place }

    /// The proxies; `nil` if a script chooses.
    var proxies: DesktopProxies? { if case .proxies(let proxies) = choice { proxies } else { nil } }
}

/// Why the setting of the desktop cannot be used.
struct DesktopProblem: Error, Equatable {
    /// `nil` if no desktop is known.
    let desktop: Desktop?
    /// The problem and the remedy.
    let text: String

    init(_ desktop: Desktop?, _ text: String) { (self.desktop, self.text) = (desktop, text) }
}

extension DesktopProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String { "\(DesktopSetting.option): \(desktop.map { "\($0.place): " } ?? "")\(text)" }
}
