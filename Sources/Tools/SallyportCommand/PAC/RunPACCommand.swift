internal import ArgumentParser
internal import Foundation
internal import OfflineVerbs
internal import SallyportRelay

/// `sallyport run-pac`: one call of a proxy script, in a process of its own. `relay`, `get` and `explain` start it; it is not for people.
struct RunPACCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-pac",
        abstract: "Calls a proxy script once: other verbs start it.",
        shouldDisplay: false
    )

    func run() throws {
        // The script, a URL and a host.
        let most = ProxyScriptLimits.scriptBytes + 8_192
        guard let input = try FileHandle.standardInput.read(upToCount: most) else { throw CommandExit.couldNotRun }
        try FileHandle.standardOutput.write(contentsOf: Data(ScriptCall.run([UInt8](input))))
    }
}
