internal import ArgumentParser
internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Standard error, as far as anybody reads it: a closed or full one must not end the command in a trap.
enum StandardError {
    /// Writes `text`, in which control characters are spelt out: messages quote what files and arguments say.
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

/// Standard output in whole pieces; a reader that went away ends the command quietly, as with other tools.
enum StandardOutput {
    static func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    static func write(_ bytes: [UInt8]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            StandardError.write(
                "sallyport: standard output takes no more: output is incomplete; check the disk or the reader\n"
            )
            throw CommandExit.couldNotRun
        }
    }
}
