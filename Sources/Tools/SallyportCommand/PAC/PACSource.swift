internal import Foundation

/// Where a PAC file is looked for.
enum PACSource: Sendable {
    case place(PACPlace)
    /// By WPAD, because this option says so.
    case search(option: String)

    /// - Parameter desktop: the setting of the desktop, if it chooses.
    /// - Returns: `nil` if no script chooses.
    init?(_ options: PACOptions, _ desktop: DesktopSetting?) {
        switch desktop?.choice {
        case .script(let url): self = .place(PACPlace(text: Self.path(url), option: DesktopSetting.option))
        case .search: self = .search(option: DesktopSetting.option)
        case .proxies: return nil
        case nil:
            if let named = options.pac {
                self = .place(PACPlace(text: named))
            } else if options.wpad {
                self = .search(option: WPADSearch.option)
            } else {
                return nil
            }
        }
    }

    /// The place that has a file, with the file.
    func read() async throws -> (PACPlace, String) {
        switch self {
        case .place(let place): (place, try await place.read())
        case .search(let option): try await WPADSearch.ofMachine(for: option).find()
        }
    }

    /// Desktops write a path as a URL, too.
    private static func path(_ text: String) -> String {
        guard let url = URL(string: text), url.isFileURL else { return text }
        return url.path(percentEncoded: false)
    }
}
