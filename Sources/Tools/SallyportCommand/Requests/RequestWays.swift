internal import Hostnames
internal import OfflineVerbs
internal import SallyportRelay
internal import Synchronization

/// The ways to the servers of one request: those of options and variables, of a PAC file, or of the desktop's setting.
final class RequestWays: Sendable {
    /// What a script or a desktop says of a server.
    struct Choice: Sendable {
        /// In the order in which they are tried; `nil` is the direct one.
        var ways: [Origin?] = []
        /// The proxies that are not asked, because they speak SOCKS.
        var left: [RelayParent] = []
    }

    let proxies: ProxyChoice
    let pac: PACFile?
    /// The setting of the desktop, if it chooses.
    let desktop: DesktopSetting?
    /// The way that each server's request takes.
    private let taken = Mutex<[Origin: Origin?]>([:])

    /// - Parameter proxies: with a script, the one that may get credentials.
    init(_ proxies: ProxyChoice, _ pac: PACFile?, _ desktop: DesktopSetting?) {
        (self.proxies, self.pac, self.desktop) = (proxies, pac, desktop)
    }

    /// What chooses in place of options and variables.
    private var chooser: (any ProxyChooser)? { pac?.script ?? desktop?.proxies }

    /// The proxy of the requests to a server: the last one that a script's list has led to. `nil` for a direct connection.
    func proxy(for origin: Origin) -> Origin? {
        guard chooser != nil else { return proxies.proxy(for: origin)?.origin }
        return taken.withLock { $0[origin] } ?? nil
    }

    /// Whether requests that were sent take this proxy.
    func usesProxy(_ origin: Origin) -> Bool {
        guard chooser != nil else { return proxies.all.contains { $0.origin == origin } }
        return taken.withLock { $0.values.contains(origin) }
    }

    /// Tries the way behind one that cannot be taken.
    func failed(_ proxy: Origin?, to origin: Origin) {
        guard let ways = chooser?.known(for: origin).map({ choice($0).ways }),
            let position = ways.firstIndex(of: proxy), position + 1 < ways.count
        else { return }
        taken.withLock { $0[origin] = ways[position + 1] }
    }

    /// The ways to a server.
    ///
    /// - Throws: ``PACProblem`` or ``DesktopProblem``, also if no way is left.
    func choice(for origin: Origin) async throws -> Choice {
        guard let chooser else { return Choice(ways: [proxy(for: origin)]) }
        let choice: Choice
        do {
            choice = self.choice(try await chooser.choices(for: origin))
        } catch let error as ProxyScriptError {
            throw problem("\(error)")
        }
        guard let first = choice.ways.first else {
            let left = choice.left.map(\.description).joined(separator: ", ")
            throw problem(
                "for \(origin) it names only \(left), which speaks SOCKS: start sallyport relay with \(pac == nil ? DesktopSetting.option : "this file"), and give its address as --proxy"
            )
        }
        taken.withLock { $0[origin] = first }
        return choice
    }

    private func choice(_ routes: [RelayRoute]) -> Choice {
        var choice = Choice()
        for route in routes {
            guard case .proxy(let proxy) = route else {
                choice.ways.append(nil)
                continue
            }
            if proxy.kind == .http { choice.ways.append(proxy.origin) } else { choice.left.append(proxy) }
        }
        return choice
    }

    private func problem(_ text: String) -> any Error {
        guard let pac else { return DesktopProblem(desktop?.desktop, text) }
        return PACProblem(option: pac.place.option, place: pac.place.text, text)
    }
}
