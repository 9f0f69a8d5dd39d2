#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// One line from a terminal that does not show it.
///
/// A signal that ends or stops the command must not leave the terminal without echo. A handler could do little safely, so
/// the signals are held back while the line is typed and looked for ten times a second; the terminal is put right, and
/// then the signal does what it always does.
enum HiddenLine {
    private static let heldBack = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU]
    private static let lookEveryMilliseconds: Int32 = 100

    private enum Attempt {
        case line(Int)
        case signal
    }

    /// Asks for a line and reads it; asks again when the command was stopped and goes on.
    ///
    /// - Returns: how many bytes of `buffer` the line takes, its ending included.
    static func read(into buffer: inout [UInt8], prompt: String) throws(InputError) -> Int {
        while true {
            var signals = sigset_t()
            var before = sigset_t()
            unsafe sigemptyset(&signals)
            for signal in heldBack { unsafe sigaddset(&signals, signal) }
            unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
            // Whatever was held back arrives here, after the terminal is as it was.
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            if case .line(let count) = try attempt(into: &buffer, prompt: prompt) { return count }
        }
    }

    private static func attempt(into buffer: inout [UInt8], prompt: String) throws(InputError) -> Attempt {
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { throw .noTerminal(code: errno) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // The end of the line is still shown, so that what follows starts on a new one.
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)
        // What was typed ahead was shown; it is thrown away.
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw .noTerminal(code: errno) }
        defer { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        StandardError.write(prompt)
        while true {
            var terminal = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&terminal, 1, lookEveryMilliseconds)
            if isSignalWaiting {
                StandardError.write("\n")
                return .signal
            }
            if ready > 0 { return .line(try StandardInput.read(into: &buffer, from: 0)) }
        }
    }

    private static var isSignalWaiting: Bool {
        var waiting = sigset_t()
        unsafe sigpending(&waiting)
        return heldBack.contains { signal in unsafe sigismember(&waiting, signal) == 1 }
    }
}
