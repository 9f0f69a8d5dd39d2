internal import ArgumentParser
internal import Foundation

/// Standard error, as far as anybody reads it: a closed or full one must not end the command in a trap.
enum StandardError {
    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
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
