internal import CredentialSources
internal import Secrets

/// Asks for a secret at the terminal (`/dev/tty`) without echo, also if standard input is something else.
enum TypedSecret {
    /// The line that the person types. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - wanted: what the person types, such as `passphrase of laptop.p12`, in one line.
    ///   - note: follows it in the question.
    ///   - remedy: what to do without a terminal.
    static func read(_ wanted: String, note: String = "", else remedy: String) throws -> SharedSecret {
        try Blocking.run { try await typed(wanted, note: note, else: remedy) }
    }

    /// The same, without blocking the calling thread.
    static func typed(_ wanted: String, note: String = "", else remedy: String) async throws -> SharedSecret {
        switch try await TerminalPrompt.secret("\(wanted.prefix(1).uppercased())\(wanted.dropFirst())\(note): ") {
        case .secret(let secret): return secret
        case .cancelled: throw TypedSecretError.cancelled
        case .noTerminal: throw TypedSecretError.noTerminal(wanted: wanted, remedy: remedy)
        }
    }

    /// A new secret, which the person types twice.
    static func readTwice(_ wanted: String, note: String = "", else remedy: String) throws -> SharedSecret {
        let first = try read(wanted, note: note, else: remedy)
        let second = try read(wanted, note: ", once more", else: remedy)
        let isSame = first.withBytes { first in second.withBytes { constantTimeEqual(first, $0) } }
        guard isSame else { throw TypedSecretError.different }
        return first
    }
}

/// Why no secret was typed.
enum TypedSecretError: Error, Equatable {
    case cancelled
    case noTerminal(wanted: String, remedy: String)
    case different
}

extension TypedSecretError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .cancelled: "terminal: the question was cancelled: run the command again"
        case .noTerminal(let wanted, let remedy):
            "terminal: there is none to ask at for the \(wanted): \(remedy)"
        case .different: "terminal: the two answers differ: run the command again"
        }
    }
}
