internal import CredentialSources
public import Hostnames
internal import Synchronization
internal import Waiting

/// A PAC file (proxy auto-configuration): a function in JavaScript that chooses the ways to a server.
///
/// The script gets the scheme, the host and the port of a server, and `/` as the path: it could send a path to others by a look-up
/// of a name. Each call runs in a process of its own that is killed after ``ProxyScriptLimits/time``. An answer is kept for its
/// server for ``ProxyScriptLimits/keptFor``; requests for one server wait for the same call.
public final class ProxyScript: ProxyChooser {
    private struct State {
        var script: String
        /// Counts the scripts.
        var version = 0
        var answers: [Origin: (choices: [RelayRoute], end: ContinuousClock.Instant)] = [:]
        var running: [Origin: Running] = [:]
    }

    private struct Running {
        let version: Int
        let task: Task<[RelayRoute], any Error>
    }

    private let command: [String]
    private let limit: Duration
    private let turns = Turns(atATime: ProxyScriptLimits.calls, waiting: ProxyScriptLimits.waiting)
    private let state: Mutex<State>

    /// - Parameters:
    ///   - script: the text of the PAC file.
    ///   - command: the program of one call, which passes its standard input to ``ScriptCall/run(_:)`` and writes what it returns to
    ///     its standard output. `sallyport run-pac` is one.
    ///   - limit: the most time that a call may take.
    public init(
        _ script: String,
        command: [String],
        limit: Duration = ProxyScriptLimits.time
    ) throws(ProxyScriptError) {
        precondition(!command.isEmpty, "a program runs the script")
        try Self.check(script)
        self.command = command
        self.limit = limit
        state = Mutex(State(script: script))
    }

    /// Takes another script, unless it cannot be read; the answers of the old one are forgotten.
    ///
    /// - Throws: ``ProxyScriptError``.
    public func replace(_ script: String) async throws {
        try Self.check(script)
        try await read(script)
        state.withLock { state in
            state.script = script
            state.version += 1
            state.answers = [:]
            state.running = [:]
        }
    }

    /// Calls the script in use once, so that one that cannot be read is noticed before the first request.
    ///
    /// - Throws: ``ProxyScriptError``.
    public func read() async throws { try await read(state.withLock { $0.script }) }

    private func read(_ script: String) async throws {
        do { _ = try await call(script, url: "http://localhost/", host: "localhost") } catch let error
            as ProxyScriptError
        {
            switch error {
            case .unreadable, .missingLibrary: throw error
            // The script may answer for other servers, or at another time.
            default: return
            }
        }
    }

    private static func check(_ script: String) throws(ProxyScriptError) {
        guard script.utf8.count <= ProxyScriptLimits.scriptBytes, !script.utf8.contains(0) else {
            throw .unusableScript
        }
    }

    /// The answer that is kept for a server.
    public func known(for server: Origin) -> [RelayRoute]? {
        state.withLock { state in
            guard let answer = state.answers[server], answer.end > .now else { return nil }
            return answer.choices
        }
    }

    /// The answer for a server: the one that is kept, or that of a call.
    ///
    /// - Throws: ``ProxyScriptError``.
    public func choices(for server: Origin) async throws -> [RelayRoute] {
        if let known = known(for: server) { return known }
        let (url, host) = ("\(server)/", server.host.withoutBrackets)
        let running = state.withLock { state in
            if let running = state.running[server] { return running }
            let (script, version) = (state.script, state.version)
            let task = Task { [self] in
                defer { end(server, version) }
                let choices = try await call(script, url: url, host: host)
                keep(choices, for: server, version)
                return choices
            }
            let running = Running(version: version, task: task)
            state.running[server] = running
            return running
        }
        return try await running.task.value
    }

    private func end(_ server: Origin, _ version: Int) {
        state.withLock { state in
            if state.running[server]?.version == version { state.running[server] = nil }
        }
    }

    private func keep(_ choices: [RelayRoute], for server: Origin, _ version: Int) {
        state.withLock { state in
            guard state.version == version else { return }
            let now = ContinuousClock.now
            if state.answers.count >= ProxyScriptLimits.keptAnswers {
                state.answers = state.answers.filter { $0.value.end > now }
            }
            // Still full: whichever goes is asked for again.
            while state.answers.count >= ProxyScriptLimits.keptAnswers {
                state.answers.remove(at: state.answers.startIndex)
            }
            state.answers[server] = (choices, now.advanced(by: ProxyScriptLimits.keptFor))
        }
    }

    private func call(_ script: String, url: String, host: String) async throws -> [RelayRoute] {
        let begin = ContinuousClock.now
        do {
            try await turns.wait(within: limit)
        } catch let error as WaitingError {
            throw error == .tooMany ? ProxyScriptError.tooManyWaiting : .timedOut(limit)
        }
        defer { turns.leave() }
        let output: [UInt8]
        do {
            output = try await ChildOutput.read(
                command[0],
                Array(command.dropFirst()),
                input: ScriptCall.input(script: script, url: url, host: host),
                mostBytes: ProxyScriptLimits.answerBytes,
                limit: limit - (ContinuousClock.now - begin)
            )
        } catch let error as ChildOutputError {
            switch error {
            case .timedOut: throw ProxyScriptError.timedOut(limit)
            case .outputTooLong: throw ProxyScriptError.answerTooLong
            case .other(let reason): throw ProxyScriptError.noProcess(reason: reason)
            case .failed: throw ProxyScriptError.noProcess(reason: "it \(error)")
            }
        }
        let answer = try ScriptCall.answer(output)
        let choices = RelayRoute.list(parsing: answer)
        guard !choices.isEmpty else { throw ProxyScriptError.noWay(answer: answer) }
        return choices
    }
}
