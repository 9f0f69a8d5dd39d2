internal import ArgumentParser
internal import OfflineVerbs
internal import SPKIPins
internal import Sallyport
internal import WireFormat

/// `sallyport pins update`: verifies a signed update and replaces the policy in use.
struct PinsUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Replaces a compiled policy by a signed update that is newer.",
        discussion: """
            The signature decides, so that the update may come from anywhere. The version in the policy in use is the floor: an older \
            update is refused, also if its signature is good, because its pins may be those of a stolen key. Without a policy in use \
            any version is taken. The file is replaced as a whole. A relay takes the new one at SIGHUP. A URL is fetched \
            without credentials; where it needs them: sallyport get URL | sallyport pins update --trust PUB --image POLICY -. Exit status: 0 \
            the policy in use is that of the update; 1 the update is refused; 2 could not run.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The public key of the signer, Ed25519 in PEM; may be repeated: a signature of one of them suffices.",
            valueName: "file"
        )
    )
    var trust: [String]

    @Option(help: ArgumentHelp("The compiled policy in use, which is replaced.", valueName: "file"))
    var image: String

    @OptionGroup var download: PinsDownloadOptions

    @Flag(help: "One JSON object.")
    var json = false

    @Argument(help: "The update: a file, '-' for standard input, or a URL of https.")
    var update: String

    func validate() throws {
        guard !trust.isEmpty else {
            throw ValidationError("Somebody signs the updates: give the public key with --trust.")
        }
    }

    func run() throws {
        let keys = try trust.map(publicKey)
        let bytes = try download.update(update)
        let result: PinUpdate.Installation
        do throws(PinUpdateError) {
            result = try PinUpdate.install(bytes, trusting: keys, at: image)
        } catch {
            StandardError.complain("pins update", "\(PinsInput.name(of: update)): \(error)")
            throw error.isRefusal ? CommandExit.answerWasNo : CommandExit.couldNotRun
        }
        try tell(result)
    }

    private func publicKey(_ file: String) throws -> [UInt8] {
        let bytes = try PinsInput.bytes(of: file, "pins update")
        do throws(PinUpdateError) {
            return try PinUpdate.publicKey(pem: bytes.span)
        } catch {
            throw PinsInput.fail("pins update", "--trust \(file): \(error)")
        }
    }

    private func tell(_ result: PinUpdate.Installation) throws {
        let version: UInt64
        var before: UInt64?
        let text: String
        switch result {
        case .installed(let new, let old?):
            (version, before) = (new, old)
            text = "version \(new) replaces version \(old)"
        case .installed(let new, nil):
            version = new
            text = "version \(new) is the first one"
        case .current(let current):
            (version, before) = (current, current)
            text = "version \(current) is in use already"
        }
        let line = JSONValue.object([
            ("image", .string(image)), ("version", .integer(version)),
            ("before", before.map(JSONValue.integer) ?? .null),
        ]).text
        try StandardOutput.write(json ? line + "\n" : "\(image.inOneLine): \(text)\n")
    }
}

extension PinUpdateError {
    /// Whether the update is read, and must not be used; other errors are about files and keys of this machine.
    fileprivate var isRefusal: Bool {
        switch self {
        case .tooLarge, .truncated, .wrongMagic, .wrongSignature, .unknownLayout, .image, .rolledBack: true
        case .unusableKey, .noKey, .encryptedKey, .unreadablePolicy, .notReplaced, .lockedTooLong: false
        }
    }
}
