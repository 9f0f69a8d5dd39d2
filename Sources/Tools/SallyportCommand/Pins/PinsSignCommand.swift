internal import ArgumentParser
internal import Credentials
internal import OfflineVerbs
internal import SPKIPins
internal import Sallyport
internal import Secrets
internal import WireFormat

/// `sallyport pins sign`: a compiled policy as an update that `pins update` takes.
struct PinsSignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Signs a compiled policy as an update.",
        discussion: """
            Make the key once with 'openssl genpkey -algorithm ed25519 -out KEY', and give the users of the pins its public half: \
            'openssl pkey -in KEY -pubout -out PUB'. Compile the policy with 'sallyport pins convert --image POLICY --policy-version N', \
            with a higher version each time: an update that is not newer is refused. Exit status: 0 the update is written; 2 could \
            not run.
            """
    )

    @Option(
        help: ArgumentHelp("The private key, Ed25519 in PEM; a file of yours alone, or a pipe.", valueName: "file")
    )
    var key: String

    @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("The update.", valueName: "file"))
    var output: String

    @Argument(help: "The compiled policy; standard input when absent or '-'.")
    var policy = "-"

    /// A key in PEM has 119 bytes; text may stand before it.
    private static let mostKeyBytes = 8_192

    func run() throws {
        let bytes = try PinsInput.bytes(of: policy, "pins sign")
        let policy: PinPolicy
        do throws(PinImageError) {
            policy = try PinPolicy(image: bytes)
        } catch {
            throw PinsInput.fail("pins sign", "\(PinsInput.name(of: self.policy)): \(error)")
        }
        var key = try privateKey()
        defer { erase(&key) }
        do {
            let update = try PinUpdate.sign(policy, with: key)
            try FileReplacement.write(update.span, to: output)
        } catch let error as FileWriteError {
            throw PinsInput.fail("pins sign", "\(output): \(FileProblem.writing(errno: error.errno))")
        } catch {
            throw PinsInput.fail("pins sign", "\(error)")
        }
        try StandardOutput.write("signed version \(policy.version): \(output.inOneLine)\n")
    }

    private func privateKey() throws -> [UInt8] {
        do {
            guard var bytes = try PrivateFile.read(key, atMost: Self.mostKeyBytes) else {
                throw PinsInput.fail(
                    "pins sign",
                    "--key \(key): more than \(Self.mostKeyBytes) bytes; name the file of the key"
                )
            }
            defer { erase(&bytes) }
            return try PinUpdate.privateKey(pem: bytes.span)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw PinsInput.fail("pins sign", "--key \(key): \(error)")
        }
    }
}
