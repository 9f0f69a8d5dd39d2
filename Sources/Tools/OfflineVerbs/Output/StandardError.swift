internal import Foundation
internal import Synchronization
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Writes to standard error. Write errors are ignored, because a closed or full standard error must not trap.
///
/// On a terminal messages share the screen with a line that is rewritten and with questions: a message stands above the line, and
/// waits for the end of a question.
package enum StandardError {
    /// The most messages that wait for the end of a question; a person may never answer.
    private static let mostHeld = 1_000

    private struct Screen {
        /// The line that is rewritten; empty without one.
        var line = ""
        var isAsking = false
        /// The messages that wait for the end of a question.
        var held: [String] = []
        var dropped = 0
    }

    private static let screen = Mutex(Screen())

    /// Writes the error of a verb in one line.
    package static func complain(_ verb: String, _ problem: String) {
        write("sallyport \(verb): \(problem.inOneLine)\n")
    }

    /// Writes `text` with control characters spelt out, because messages quote files and arguments, and without internals of
    /// libraries, because messages quote their errors.
    package static func write(_ text: String) {
        let text = LibraryText.withoutInternals(text).withVisibleControls
        guard isTerminal else { return writeUnchanged(text) }
        screen.withLock { screen in
            guard !screen.isAsking else {
                if screen.held.count < mostHeld { screen.held.append(text) } else { screen.dropped += 1 }
                return
            }
            writeUnchanged(screen.line.isEmpty ? text : erasing + text)
            // A line stands below whole lines only.
            if text.hasSuffix("\n") { writeUnchanged(screen.line) } else { screen.line = "" }
        }
    }

    /// Whether standard error is a terminal, where a line can be rewritten.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes `text` over the line on which a terminal's cursor stands.
    package static func replaceLine(with text: String) {
        screen.withLock { screen in
            screen.line = text.withVisibleControls
            if !screen.isAsking { writeUnchanged(erasing + screen.line) }
        }
    }

    /// Leaves the rewritten line as it is, and goes to the next one.
    package static func keepLine() {
        screen.withLock { screen in
            if !screen.line.isEmpty, !screen.isAsking { writeUnchanged("\n") }
            screen.line = ""
        }
    }

    /// A question begins or ends at the terminal.
    package static func changeQuestion(isOpen: Bool) {
        screen.withLock { screen in
            screen.isAsking = isOpen
            if isOpen {
                if !screen.line.isEmpty { writeUnchanged(erasing) }
                return
            }
            for text in screen.held { writeUnchanged(text) }
            if screen.dropped > 0 {
                writeUnchanged("\(screen.dropped) messages were dropped: a question stood on the terminal\n")
            }
            (screen.held, screen.dropped) = ([], 0)
            writeUnchanged(screen.line)
        }
    }

    /// The process ends: a question that is still open ends with it, and what waits for its end is written.
    package static func endQuestion() {
        let isOpen = screen.withLock { $0.isAsking }
        guard isOpen else { return }
        // What comes next does not run into the question.
        if isTerminal { writeUnchanged("\n") }
        changeQuestion(isOpen: false)
    }

    /// Carriage return and "erase to the end of the line" (ECMA-48 EL).
    private static let erasing = "\r\u{1B}[K"

    private static func writeUnchanged(_ text: String) {
        if !text.isEmpty { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
    }
}
