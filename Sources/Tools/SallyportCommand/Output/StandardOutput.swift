internal import ArgumentParser
internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Writes to standard error. Write errors are ignored, because a closed or full standard error must not trap.
enum StandardError {
    /// Writes `text` with control characters spelt out, because messages quote files and arguments.
    static func write(_ text: String) {
        writeUnchanged(text.withVisibleControls)
    }

    private static func writeUnchanged(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Whether standard error is a terminal, where a line can be rewritten.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes `text` over the line on which a terminal's cursor stands.
    static func replaceLine(with text: String) {
        // Carriage return and "erase to the end of the line" (ECMA-48 EL).
        writeUnchanged("\r\u{1B}[K\(text.withVisibleControls)")
    }
}

/// Writes to standard output in whole pieces. If the reader closes a pipe, SIGPIPE ends the command without a message.
enum StandardOutput {
    static func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    static func write(_ bytes: [UInt8]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            StandardError.write(
                "sallyport: standard output cannot be written: the output is incomplete; check the disk or the reader\n"
            )
            throw CommandExit.couldNotRun
        }
    }
}
