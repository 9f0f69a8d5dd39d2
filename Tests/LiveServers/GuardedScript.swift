internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A script of a guarded server that runs, and what tests did to it.
///
/// A start takes up to 0.6 s of a processor, and there are some 300 uses in a run. So a script serves one test after the
/// other: it gets its first password back, and bad log-ons count from then on.
///
/// `@unchecked Sendable` is safe, because one test has it at a time.
final class GuardedScript: @unchecked Sendable {
    /// The script, and how Squid checks passwords; `nil` for origin servers.
    struct Program: Equatable {
        let name: String
        let proxyKind: String?
    }

    private let program: Program
    private let process: HelperProcess
    let port, openPort: UInt16
    private var counted = 0
    private var hasFirstPassword = true

    private init(_ program: Program) throws {
        self.program = program
        port = try ServerPort.take()
        var arguments = ["\(port)"]
        openPort = try program.proxyKind == nil ? 0 : ServerPort.take()
        if let proxyKind = program.proxyKind { arguments = [proxyKind, "\(port)", "\(openPort)"] }
        if program.name != "lighttpd-guarded", program.name != "nginx-guarded" { arguments.append(ServerScript.domain) }
        arguments.append("jdoe:\(GuardedServer.password),ada:Other-Horse")
        process = try HelperProcess(server: program.name, arguments)
    }

    func ask(_ line: String) throws -> String { try process.ask(line) }

    func change(to password: String) throws {
        hasFirstPassword = false
        let answer = try process.ask("password jdoe \(password)")
        guard answer == "done" else { throw PeerFailure(what: "the password was not changed: \(answer)") }
        hasFirstPassword = password == GuardedServer.password
    }

    func takeBadLogOns() throws -> Int {
        let answer = try process.ask("count")
        guard let count = Int(answer) else { throw PeerFailure(what: "the count is \(answer.debugDescription)") }
        defer { counted = count }
        return count - counted
    }

    // MARK: One test after the other

    /// The most that wait for their next test: as many as can have one at the same time.
    private static let mostIdle = Turn.atOnce
    /// Those that wait, the longest first: what came late from the test before has come by then.
    private static let idle = Mutex<[GuardedScript]>([])
    /// What a script has left is removed before the process of the tests ends.
    private static let endsAtExit: Void = { _ = atexit { GuardedScript.endIdle() } }()

    /// One that runs already, or a new one.
    static func take(_ program: Program) throws -> GuardedScript {
        while let script = takeIdle(program) {
            // One that fails is replaced, as one that has ended.
            if (try? script.prepare()) != nil { return script }
        }
        return try GuardedScript(program)
    }

    private static func takeIdle(_ program: Program) -> GuardedScript? {
        idle.withLock { idle in idle.firstIndex { $0.program == program }.map { idle.remove(at: $0) } }
    }

    private func prepare() throws {
        if !hasFirstPassword { try change(to: GuardedServer.password) }
        _ = try takeBadLogOns()
    }

    /// Takes a script back whose test has ended.
    static func giveBack(_ script: GuardedScript) {
        _ = endsAtExit
        // Ended outside the lock, because that waits.
        _ = idle.withLock { idle in
            idle.append(script)
            return idle.count > mostIdle ? idle.removeFirst() : nil
        }
    }

    private static func endIdle() {
        let scripts = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        // All at once; the end of each is waited for when it is released.
        for script in scripts { script.process.bytes.finish() }
    }
}
