internal import Secrets
internal import Waiting

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The terminal of this process, for questions. Used by one thread, which receives no signals.
final class Terminal {
    /// What a person answered.
    enum Answer {
        /// A line without its end.
        case line(SharedSecret)
        /// The end of the input, or a signal that the application survived.
        case cancelled
    }

    private enum Attempt {
        case answer(Answer)
        case signal(Int32)

        var signals: [Int32] {
            guard case .signal(let signal) = self else { return [] }
            return [signal]
        }
    }

    /// The kernel's own bound of a line is 4096 bytes with its end.
    private static let lineBytes = 4096

    private let device: Descriptor
    private let deadline: Deadline
    private let interruption: Interruption
    /// Whether anything was shown.
    private(set) var hasShown = false
    /// Whether the last line of the terminal is a prompt. Other text needs a new line then.
    private var isBehindPrompt = false

    /// Opens `/dev/tty`; `nil` if the process has no terminal.
    init?(until deadline: Deadline, or interruption: Interruption) throws(TerminalError) {
        // Without O_NONBLOCK, a read could wait although nothing is there: another process may have taken the line.
        let number = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            let code = errno
            guard ![ENXIO, ENOENT, ENODEV].contains(code) else { return nil }
            throw .system(operation: "open /dev/tty", code: code)
        }
        device = Descriptor(number)
        self.deadline = deadline
        self.interruption = interruption
    }

    /// Shows a text.
    func show(_ text: String) throws {
        hasShown = true
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            try wait(for: POLLOUT, signals: nil)
            let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(device.number, $0) }
            if count < 0, errno != EAGAIN, errno != EINTR {
                throw TerminalError.system(operation: "show the question", code: errno)
            }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }

    /// Shows a text after a time limit or a cancellation, when ``show(_:)`` waits no more. A terminal that is not ready does not get it.
    func showAtOnce(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe systemWrite(device.number, $0) }
    }

    /// The terminal belongs to the job in the foreground.
    func checkForeground() throws(TerminalError) {
        let group = tcgetpgrp(device.number)
        // After a hang-up the terminal has no jobs.
        guard group >= 0 else { throw .closed }
        guard group == getpgrp() else { throw .inBackground }
    }

    /// Asks for one line. After a stop of the process, and a SIGHUP that it survives, the question is shown again: programs read their files
    /// anew on SIGHUP.
    func line(_ prompt: String, echoes: Bool) throws -> Answer {
        while true {
            try checkForeground()
            let signals = try PromptSignals()
            let attempt: Attempt
            do {
                defer { signals.remove() }
                attempt = try self.attempt(prompt, echoes: echoes, signals)
            } catch {
                // What comes next stands on a line of its own.
                if isBehindPrompt { showAtOnce("\n") }
                isBehindPrompt = false
                // A signal that came together with an error takes effect, too.
                for signal in signals.rest() { PromptSignals.deliver(signal) }
                throw error
            }
            let caught = attempt.signals + signals.rest()
            // The settings are restored, and the handlers of the application are back.
            for signal in caught { PromptSignals.deliver(signal) }
            if case .answer(let answer) = attempt, caught.allSatisfy({ $0 == SIGHUP }) { return answer }
            if caught.contains(where: { $0 != SIGTSTP && $0 != SIGHUP }) { return .cancelled }
        }
    }

    private func attempt(_ prompt: String, echoes: Bool, _ signals: PromptSignals) throws -> Attempt {
        var settings = termios()
        guard unsafe tcgetattr(device.number, &settings) == 0 else {
            throw TerminalError.system(operation: "read the settings", code: errno)
        }
        var asking = settings
        asking.c_iflag |= tcflag_t(ICRNL)
        asking.c_lflag |= tcflag_t(ICANON | ISIG)
        // ECHONL shows the end of the line, so that the next output starts on a new line.
        if echoes { asking.c_lflag |= tcflag_t(ECHO) } else { asking.c_lflag |= tcflag_t(ECHONL) }
        if !echoes { asking.c_lflag &= ~tcflag_t(ECHO) }
        try TerminalRestoration.begin(device.number, settings)
        defer { TerminalRestoration.end() }
        // TCSAFLUSH discards what was typed before the question, because it was no answer to it.
        guard unsafe tcsetattr(device.number, TCSAFLUSH, &asking) == 0 else {
            throw TerminalError.system(operation: "change the settings", code: errno)
        }
        try show(prompt)
        isBehindPrompt = true
        var buffer = SecretBuffer(capacity: Self.lineBytes)
        while true {
            if let signal = try wait(for: POLLIN, signals: signals) {
                endLine()
                return .signal(signal)
            }
            switch buffer.read(from: device.number) {
            case .notYet: continue
            case .full: throw TerminalError.tooLong
            case .failed(let code) where code == EIO: throw TerminalError.closed
            case .failed(let code): throw TerminalError.system(operation: "read the answer", code: code)
            case .end:
                endLine()
                return .answer(.cancelled)
            case .bytes: break
            }
            // The terminal has shown the end of the line itself.
            if buffer.withBytes(Self.isWhole) { isBehindPrompt = false }
            if let answer = try buffer.withBytes(Self.answer) { return .answer(.line(answer)) }
        }
    }

    private func endLine() {
        if isBehindPrompt { try? show("\n") }
        isBehindPrompt = false
    }

    private static func isWhole(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\n")
    }

    /// The line without its end; `nil` while it has none.
    private static func answer(_ bytes: Span<UInt8>) throws(TerminalError) -> SharedSecret? {
        guard isWhole(bytes) else { return nil }
        let line = bytes.extracting(..<(bytes.count - 1))
        guard line.count <= TerminalPrompt.answerBytes else { throw .tooLong }
        guard UTF8Check.isValid(line) else { throw .notUTF8 }
        return SharedSecret(SecretBytes(copying: line))
    }

    /// Waits until the terminal is ready; returns a signal that came instead.
    @discardableResult
    private func wait(for event: Int32, signals: PromptSignals?) throws -> Int32? {
        while true {
            var entries = [
                pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: device.number, events: Int16(event), revents: 0),
            ]
            #if canImport(Darwin)
                let ready = Self.select(among: &entries, milliseconds: deadline.pollMilliseconds)
            #else
                let ready = unsafe poll(&entries, nfds_t(entries.count), deadline.pollMilliseconds)
            #endif
            if ready < 0, errno != EINTR { throw TerminalError.system(operation: "wait for an answer", code: errno) }
            if entries[0].revents != 0 { throw CancellationError() }
            if ready > 0, entries[1].revents != 0, let signal = signals?.next() { return signal }
            if deadline.hasPassed { throw TerminalError.timedOut }
            if ready > 0, entries[2].revents != 0 { return nil }
        }
    }
}

// Outside the type, whose own `write` would hide the system's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
