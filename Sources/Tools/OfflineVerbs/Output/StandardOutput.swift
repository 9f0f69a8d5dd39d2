internal import ArgumentParser
internal import Foundation

/// Writes to standard output in whole pieces. If the reader closes a pipe, SIGPIPE ends the command without a message.
package enum StandardOutput {
    package static func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    package static func write(_ bytes: [UInt8]) throws {
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
