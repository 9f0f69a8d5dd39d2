internal import ArgumentParser
internal import ClientCertificates
internal import CredentialSources
internal import OfflineVerbs
internal import Secrets

/// Which files hold an identity, and where their passphrase comes from. Never an argument, which other processes can read.
struct IdentityFileOptions: ParsableArguments {
    @Argument(help: "A .p12, .pfx or PEM file; with --key, the certificates in PEM.")
    var file: String

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The private key in PEM or DER, if it lies in another file.", valueName: "file")
    )
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The key to take, if the file has several; the error without this option lists their names.",
            valueName: "name"
        )
    )
    var alias: String?

    @Flag(name: .customLong("stdin"), help: "Read the passphrase from standard input, in one line.")
    var fromStandardInput = false

    @Option(
        name: .customLong("passphrase-file"),
        help: ArgumentHelp(
            "Read the passphrase from the only line of this file, which only its owner may read.",
            valueName: "file"
        )
    )
    var passphraseFile: String?

    func validate() throws {
        guard !fromStandardInput || passphraseFile == nil else {
            throw ValidationError("The passphrase comes from one place: give --stdin or --passphrase-file.")
        }
    }

    private var files: IdentityFiles { key.map { .pair(certificates: file, key: $0) } ?? .one(file) }

    /// Reads the identity; the terminal asks for the passphrase only if the file has one. Blocks the calling thread.
    ///
    /// - Throws: an error whose description is one line: the place, the problem and the remedy.
    func read(name: String) throws -> KeyedIdentity {
        if fromStandardInput || passphraseFile != nil {
            var options = SecretOptions()
            options.fromStandardInput = fromStandardInput
            options.file = passphraseFile
            let passphrase = try options.read(.password, wanted: "")
            return try KeyedIdentity(name: name, reading: files, passphrase: passphrase, choosing: alias)
        }
        // Without a pattern in the catch: the compiler (6.3.1) crashes on one.
        do {
            return try KeyedIdentity(name: name, reading: files, choosing: alias)
        } catch {
            guard error.problem == .passphraseNeeded else { throw error }
        }
        let passphrase = try TypedSecret.read(
            "passphrase of \(files.keyFile.inOneLine)",
            else: "give --passphrase-file or --stdin"
        )
        return try KeyedIdentity(name: name, reading: files, passphrase: passphrase, choosing: alias)
    }
}
