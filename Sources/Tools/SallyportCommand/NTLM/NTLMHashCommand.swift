internal import ArgumentParser
internal import NTLM
internal import Secrets

/// `sallyport ntlm hash`: one password a line in, one NT hash a line out.
struct NTLMHashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Turns passwords into NT hashes.",
        discussion: """
            Reads UTF-8 from standard input, one password a line, and writes 32 hexadecimal digits for each. A line that \
            is no password is reported with its number, and an empty line stands in its place, so that line for line \
            belongs together; the exit status is 2 then. At a terminal, one password is asked for.
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

/// The lines that were no passwords: the first few are told one by one, the rest as a number.
struct RefusedLines {
    static let toldOneByOne = 20
    private(set) var count = 0

    /// Counts a line, and tells of it.
    mutating func refuse(line: Int, _ error: NTLMKeyError) {
        count += 1
        guard count <= Self.toldOneByOne else { return }
        StandardError.write("sallyport ntlm hash: line \(line): \(error)\n")
    }

    /// What is left to say at the end.
    var summary: String? {
        let rest = count - Self.toldOneByOne
        return rest > 0 ? "\(rest) more lines are no passwords" : nil
    }
}
