internal import CChildProcesses

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Catches the signals that end or stop the process, while the terminal's settings are changed.
///
/// A handler may call few functions. It therefore only writes the signal's number to a pipe; the thread of the question restores
/// the settings and the application's handlers, and sends the signal again. A signal that the application ignores stays ignored.
///
/// One value at a time exists, because one question at a time is visible.
final class PromptSignals {
    private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// Made once and never closed, because a handler that another thread runs may still write to it.
    private static let sharedPipe: Pipe? = {
        guard let pipe = try? Pipe() else { return nil }
        pipe.writer.makeNonBlocking()
        pipe.reader.makeNonBlocking()
        unsafe signalPipe = pipe.writer.number
        return pipe
    }()

    private let pipe: Pipe
    private var before: [(signal: Int32, action: sigaction)] = []

    init() throws(TerminalError) {
        guard let pipe = Self.sharedPipe else { throw .system(operation: "make a pipe", code: EMFILE) }
        self.pipe = pipe
        // What is left there was for an earlier question.
        _ = rest()
        for signal in Self.caught {
            var (old, new) = (sigaction(), sigaction())
            guard unsafe sigaction(signal, nil, &old) == 0, !Self.isIgnored(old) else { continue }
            unsafe sigemptyset(&new.sa_mask)
            new.sa_flags = Int32(SA_RESTART)
            Self.setHandler(of: &new)
            if unsafe sigaction(signal, &new, &old) == 0 { before.append((signal, old)) }
        }
    }

    /// Becomes readable when a signal comes.
    var descriptor: Int32 { pipe.reader.number }

    /// A signal that came; `nil` if none did.
    func next() -> Int32? {
        var number: UInt8 = 0
        guard unsafe read(pipe.reader.number, &number, 1) == 1 else { return nil }
        return Int32(number)
    }

    /// All signals that came.
    func rest() -> [Int32] {
        var signals: [Int32] = []
        while let signal = next() { signals.append(signal) }
        return signals
    }

    /// Brings back the handlers of the application.
    func remove() {
        for (signal, action) in before {
            var action = action
            _ = unsafe sigaction(signal, &action, nil)
        }
        before = []
    }

    /// Sends a signal to this thread, which blocks all signals otherwise. Returns if the application survives it.
    static func deliver(_ signal: Int32) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    // PromptSignals+Darwin.swift has both functions for Apple's systems.
    #if canImport(Musl)
        private static func isIgnored(_ action: sigaction) -> Bool {
            unsafe unsafeBitCast(action.__sa_handler.sa_handler, to: Int.self) == ignored
        }

        private static func setHandler(of action: inout sigaction) {
            unsafe action.__sa_handler = .init(sa_handler: noteSignal)
        }
    #elseif canImport(Glibc)
        private static func isIgnored(_ action: sigaction) -> Bool {
            unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
        }

        private static func setHandler(of action: inout sigaction) {
            action.__sigaction_handler = .init(sa_handler: noteSignal)
        }
    #endif

    /// `SIG_IGN` as a number.
    static let ignored = 1
}

/// Where a handler writes; a handler gets no argument but the signal.
///
/// `nonisolated(unsafe)` is safe, because it is set once, before the first handler is installed, and only read afterwards.
private nonisolated(unsafe) var signalPipe: Int32 = -1

/// Writes the signal's number to the pipe; calls only what a handler may call, and keeps `errno`.
func noteSignal(_ signal: Int32) {
    let code = errno
    var number = UInt8(truncatingIfNeeded: signal)
    _ = unsafe write(signalPipe, &number, 1)
    errno = code
}
