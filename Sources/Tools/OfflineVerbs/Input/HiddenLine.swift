#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Reads one line from a terminal without echo.
///
/// A signal that ends or stops the command must not leave the terminal without echo. A signal handler may
/// call few functions, so the signals are blocked while the line is typed and polled ten times a second. The terminal's
/// settings are restored before the signal is delivered.
package enum HiddenLine {
    private static let heldBack = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU]
    private static let lookEveryMilliseconds: Int32 = 100

    private enum Attempt {
        case line(Int)
        case signal
    }

    /// Prompts for a line and reads it; prompts again when the command continues after a stop.
    ///
    /// - Returns: how many bytes of `buffer` the line takes, its ending included.
    package static func read(into buffer: inout [UInt8], prompt: String) throws(InputError) -> Int {
        while true {
            var signals = sigset_t()
            var before = sigset_t()
            unsafe sigemptyset(&signals)
            for signal in heldBack { unsafe sigaddset(&signals, signal) }
            unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
            // Blocked signals are delivered here, after the terminal's settings are restored.
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            if case .line(let count) = try attempt(into: &buffer, prompt: prompt) { return count }
        }
    }

    private static func attempt(into buffer: inout [UInt8], prompt: String) throws(InputError) -> Attempt {
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { throw .noTerminal(code: errno) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // ECHONL shows the end of the line, so that the next output starts on a new line.
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)
        // TCSAFLUSH discards what was typed before, because the terminal has shown it.
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
