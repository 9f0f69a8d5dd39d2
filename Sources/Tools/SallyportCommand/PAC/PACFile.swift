internal import OfflineVerbs
internal import SallyportRelay

/// A PAC file in use: the script, and where it is read again.
struct PACFile: Sendable {
    /// Where the script came from at the start.
    let place: PACPlace
    let script: ProxyScript

    /// Finds and reads the file, and calls its script once. Blocks the calling thread.
    init?(_ options: PACOptions) throws {
        guard options.isGiven else { return nil }
        let (place, text) = try Blocking.run {
            guard let named = options.pac else { return try await WPADSearch.ofMachine.find() }
            let place = PACPlace(text: named)
            return (place, try await place.read())
        }
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
        let (place, text) =
            place.option == WPADSearch.option
            ? try await WPADSearch.ofMachine.find() : (place, try await place.read())
        do {
            try await script.replace(text)
        } catch let error as ProxyScriptError {
            throw PACProblem(option: place.option, place: place.text, "\(error)")
        }
    }
}
