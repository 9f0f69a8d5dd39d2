internal import ArgumentParser
internal import CredentialSources
internal import CredentialStores
internal import Credentials
internal import NTLM
internal import OfflineVerbs
internal import Secrets
internal import WireFormat

/// Where a new secret comes from: the terminal, standard input or a file. Never an argument, which other processes can read.
struct SecretOptions: ParsableArguments {
    @Flag(name: .customLong("stdin"), help: "Read the secret from standard input, in one line.")
    var fromStandardInput = false

    @Option(
        name: .customLong("secret-file"),
        help: ArgumentHelp(
            "Read the secret from the only line of this file, which only its owner may read.",
            valueName: "file"
        )
    )
    var file: String?

    func validate() throws {
        guard !fromStandardInput || file == nil else {
            throw ValidationError("The secret comes from one place: give --stdin or --secret-file.")
        }
    }

    /// Reads the secret. Blocks the calling thread.
    ///
    /// - Parameter wanted: what a person types at a terminal, such as `password of jdoe`.
    func read(_ kind: SecretKind, wanted: String) throws -> SharedSecret {
        let (place, line) = try line(wanted)
        do throws(SecretProblem.Reason) {
            return try line.withBytes { bytes throws(SecretProblem.Reason) in try kind.secret(of: bytes) }
        } catch {
            throw SecretProblem(place: place, reason: error)
        }
    }

    private func line(_ wanted: String) throws -> (place: String, line: SharedSecret) {
        if let file { return (file.inOneLine, try Self.line(ofFile: file)) }
        guard fromStandardInput else {
            return ("terminal", try TypedSecret.read(wanted, else: "give --stdin or --secret-file"))
        }
        let secret = try SecretInput.readStandardInput(maximumBytes: SecretLimits.bytes)
        return ("standard input", secret)
    }

    private static func line(ofFile path: String) throws(SecretProblem) -> SharedSecret {
        do throws(SecretProblem.Reason) {
            return try contents(ofFile: path)
        } catch {
            throw SecretProblem(place: path.inOneLine, reason: error)
        }
    }

    private static func contents(ofFile path: String) throws(SecretProblem.Reason) -> SharedSecret {
        var bytes = try read(path)
        defer { erase(&bytes) }
        if let form = ForeignFile(bytes.span) { throw .otherForm(form) }
        do throws(InputError) {
            let line = try SecretInput.onlyLine(of: bytes.span, maximumBytes: SecretLimits.bytes)
            return SharedSecret(SecretBytes(copying: bytes.span.extracting(line)))
        } catch {
            switch error {
            case .moreThanOneLine: throw .moreThanOneLine
            case .tooLong: throw .tooLong
            default: throw .empty
            }
        }
    }

    private static func read(_ path: String) throws(SecretProblem.Reason) -> [UInt8] {
        do throws(PrivateFileProblem) {
            // A line ending of two bytes may follow the secret, and the mark of UTF-8 precede it.
            if let bytes = try PrivateFile.read(path, atMost: SecretLimits.bytes + 5) { return bytes }
        } catch {
            throw .file(error)
        }
        throw .tooLong
    }
}

/// What a new secret is.
enum SecretKind: String, ExpressibleByArgument, CaseIterable {
    case password
    case ntHash = "nt-hash"
    case token
    case clientSecret = "client-secret"

    /// The kind of the record.
    var kind: CredentialKind {
        switch self {
        case .password: .password
        case .ntHash: .ntHash
        case .token: .token
        case .clientSecret: .clientSecret
        }
    }

    /// What a question calls it.
    var title: String {
        switch self {
        case .password: "password"
        case .ntHash: "NT hash"
        case .token: "token"
        case .clientSecret: "secret of the client"
        }
    }

    /// The bytes to store of a line.
    func secret(of line: Span<UInt8>) throws(SecretProblem.Reason) -> SharedSecret {
        guard line.count > 0 else { throw .empty }
        switch self {
        case .password, .clientSecret:
            guard UTF8Check.isValid(line) else { throw .notUTF8 }
        case .token:
            // RFC 6750 2.1: a token is of printable ASCII; a field of HTTP cannot carry a control character.
            guard line.indices.allSatisfy({ (0x21...0x7E).contains(line[$0]) }) else { throw .notAToken }
        case .ntHash:
            guard var hash = HashDigits.bytes(line) else { throw .notAHash }
            return SharedSecret(SecretBytes(consuming: &hash))
        }
        return SharedSecret(SecretBytes(copying: line))
    }
}

/// Why a text is not the secret that was expected. It holds no part of the text.
struct SecretProblem: Error, Equatable {
    let place: String
    let reason: Reason

    enum Reason: Error, Equatable {
        case empty
        case tooLong
        case moreThanOneLine
        case notUTF8
        case notAToken
        case notAHash
        case file(PrivateFileProblem)
        case otherForm(ForeignFile)
    }
}

extension SecretProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String { "\(place): \(reason)" }
}

extension SecretProblem.Reason: CustomStringConvertible {
    /// The problem and the remedy.
    var description: String {
        switch self {
        case .empty: "the secret is empty: give one"
        case .tooLong: "the secret has more than \(SecretLimits.bytes) bytes: check where it comes from"
        case .moreThanOneLine: "there is more than one line: write one secret"
        case .notUTF8: "the password is not UTF-8: convert it"
        case .notAToken: "the token holds a blank, a control character or one beyond ASCII: check what was copied"
        case .notAHash: "this is not an NT hash: give 32 hexadecimal digits, as sallyport ntlm hash prints them"
        case .otherForm(let form): "\(form)"
        case .file(let problem):
            if case .othersMayUse = problem { "\(problem), and renew the secret" } else { "\(problem)" }
        }
    }
}
