internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Brings back the settings of the terminal: at the end of a question, or when another thread ends the process by `exit`.
enum TerminalRestoration {
    private struct Pending {
        let device: Int32
        let settings: termios
    }

    /// What is to be restored; one question at a time changes the settings.
    private static let pending = Mutex<Pending?>(nil)
    private static let atExit: Int32 = atexit { TerminalRestoration.end() }

    /// Remembers the settings before they change.
    static func begin(_ device: Int32, _ settings: termios) throws(TerminalError) {
        guard atExit == 0 else { throw .system(operation: "register its restoration", code: ENOMEM) }
        pending.withLock { $0 = Pending(device: device, settings: settings) }
    }

    /// Restores the settings if that has not happened.
    static func end() {
        pending.withLock { pending in
            guard var settings = pending?.settings, let device = pending?.device else { return }
            // TCSAFLUSH discards the rest of an answer, which the next reader of the terminal must not see.
            // This thread blocks SIGTTOU, so the call succeeds also if the job was moved to the background.
            while unsafe tcsetattr(device, TCSAFLUSH, &settings) != 0, errno == EINTR {}
            pending = nil
        }
    }
}
