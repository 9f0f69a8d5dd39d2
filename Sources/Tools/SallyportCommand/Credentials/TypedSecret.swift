internal import CredentialSources
internal import Secrets

/// Asks for a secret at the terminal (`/dev/tty`) without echo, also if standard input is something else.
enum TypedSecret {
    /// The line that the person types.
    static func read(_ prompt: String) throws -> SharedSecret { try Blocking.run { try await typed(prompt) } }

    /// The same, without blocking the calling thread.
    static func typed(_ prompt: String) async throws -> SharedSecret {
        switch try await TerminalPrompt.secret(prompt) {
        case .secret(let secret): return secret
        case .cancelled: throw TypedSecretError.cancelled
        case .noTerminal: throw TypedSecretError.noTerminal
        }
    }

    /// A new secret, which the person types twice.
    static func readTwice(_ prompt: String) throws -> SharedSecret {
        let first = try read("\(prompt): ")
        let second = try read("\(prompt), once more: ")
        let isSame = first.withBytes { first in second.withBytes { constantTimeEqual(first, $0) } }
        guard isSame else { throw TypedSecretError.different }
        return first
    }
}

/// Why no secret was typed.
enum TypedSecretError: Error, Equatable {
    case cancelled
    case noTerminal
    case different
}

extension TypedSecretError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .cancelled: "terminal: the question was cancelled: run the command again"
        case .noTerminal:
            "terminal: there is none to ask at: name a file, for the store with --key-file, for the key of a certificate with --passphrase-file or "
                + "--cert-passphrase-file, or keep secrets with sallyport credentials add --stdin"
        case .different: "terminal: the two answers differ: run the command again"
        }
    }
}
