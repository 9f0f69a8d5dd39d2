internal import ArgumentParser
internal import Foundation

/// Standard output in whole pieces; a reader that went away ends the command quietly, as with other tools.
enum StandardOutput {
    static func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    static func write(_ bytes: [UInt8]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            FileHandle.standardError.write(Data("sallyport: cannot write to standard output\n".utf8))
            throw CommandExit.couldNotRun
        }
    }
}
