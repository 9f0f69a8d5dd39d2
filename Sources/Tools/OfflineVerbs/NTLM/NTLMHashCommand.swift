internal import ArgumentParser
internal import NTLM
internal import Secrets

/// `sallyport ntlm hash`: reads one password per line, writes one NT hash per line.
struct NTLMHashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Turns passwords into NT hashes.",
        discussion: """
            Reads one password per line from standard input, in UTF-8, and writes 32 hexadecimal digits for each. For a \
            line that is not a password it reports the line number and writes an empty line, so that line numbers of input \
            and output agree; the exit status is 2 then. At a terminal it asks for one password.
            """
    )

    func run() throws {
        if StandardInput.isTerminal {
            try hashTypedPassword()
        } else {
            try hashLines()
        }
    }

    private func hashTypedPassword() throws {
        let hash: NTHash
        do {
            let password = try SecretInput.read(prompt: "Password: ")
            hash = try password.withBytes { bytes throws(NTLMKeyError) in try NTHash(utf8: bytes) }
        } catch {
            throw NTLMCommand.end("hash", "\(error)", with: CommandExit.couldNotRun)
        }
        try StandardOutput.write(hash.withBytes { HashLine.text(of: $0) })
    }

    private func hashLines() throws {
        var lines = PasswordLines()
        defer { lines.forget() }
        var refused = RefusedLines()
        do {
            while try lines.readMore() {
                try StandardOutput.write(lines.hashes(refused: &refused))
            }
        } catch let error as InputError {
            throw NTLMCommand.end("hash", "\(error)", with: CommandExit.couldNotRun)
        }
        guard refused.count == 0 else {
            if let summary = refused.summary { StandardError.write("sallyport ntlm hash: \(summary)\n") }
            throw CommandExit.couldNotRun
        }
    }
}

/// The refused lines: the first ones are reported one by one, the others as a count.
struct RefusedLines {
    static let toldOneByOne = 20
    private(set) var count = 0

    /// Counts a line, and reports it if it is one of the first.
    mutating func refuse(line: Int, _ error: NTLMKeyError) {
        count += 1
        guard count <= Self.toldOneByOne else { return }
        StandardError.write("sallyport ntlm hash: line \(line): \(error)\n")
    }

    /// The report at the end, or `nil` if every line was reported.
    var summary: String? {
        let rest = count - Self.toldOneByOne
        return rest > 0 ? "\(rest) more lines are not passwords: correct them" : nil
    }
}
