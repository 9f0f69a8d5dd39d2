internal import OfflineVerbs
internal import SallyportRelay

/// A PAC file in use: the script, and where it is read again.
struct PACFile: Sendable {
    /// Where the script came from at the start.
    let place: PACPlace
    let script: ProxyScript
    private let source: PACSource

    /// Finds and reads the file, and calls its script once. Blocks the calling thread.
    ///
    /// - Parameter desktop: the setting of the desktop, if it chooses.
    /// - Returns: `nil` if no script chooses.
    init?(_ options: PACOptions, _ desktop: DesktopSetting?) throws {
        guard let source = PACSource(options, desktop) else { return nil }
        self.source = source
        let (place, text) = try Blocking.run { try await source.read() }
        do {
            let script = try ProxyScript(text, command: PACPlace.command)
            try Blocking.run { try await script.read() }
            (self.place, self.script) = (place, script)
        } catch let error as ProxyScriptError {
            throw PACProblem(option: place.option, place: place.text, "\(error)")
        }
    }

    /// Reads the file again; that of WPAD is searched for again, because the machine may be in another network.
    func reload() async throws {
        let (place, text) = try await source.read()
        do {
            try await script.replace(text)
        } catch let error as ProxyScriptError {
            throw PACProblem(option: place.option, place: place.text, "\(error)")
        }
    }
}
