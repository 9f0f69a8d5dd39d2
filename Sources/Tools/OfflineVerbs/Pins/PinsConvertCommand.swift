internal import ArgumentParser
internal import Foundation
internal import PinFormats
internal import SPKIPins
internal import WireFormat

/// `sallyport pins convert`: converts pins from one form into another and reports what is lost.
struct PinsConvertCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts pins from one form into another.",
        discussion: """
            Forms: \(PinFormat.names). Standard error has one line for each thing that the new form cannot express. An \
            entry whose host pattern has no counterpart is left out, never widened. With --image a policy is compiled \
            instead. Exit status: 0 written; 1 something is lost and --strict was given, or no entry is left to write; 2 \
            could not run.
            """
    )

    @Option(help: "The form to read.", transform: PinFormat.named)
    var from: PinFormat

    @Option(help: "The form to write to standard output.", transform: PinFormat.named)
    var to: PinFormat?

    @Option(help: "The host pattern if the form to read has none (rfc7469, curl).")
    var host: String?

    @Option(help: "Compile the policy into this file, an image that programs map.")
    var image: String?

    @Option(help: "The version of the compiled policy.")
    var policyVersion: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Certificates of pinned keys and of their authorities (PEM or DER), with which --image finds backups that depend "
                + "on a primary pin; may be repeated.",
            valueName: "file"
        )
    )
    var certificates: [String] = []

    @Flag(help: "Exit with status 1 if anything is lost.")
    var strict = false

    @Argument(help: "The file; standard input when absent or '-'.")
    var file = "-"

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func validate() throws {
        guard (to == nil) != (image == nil) else { throw ValidationError("Give either --to or --image.") }
        guard image != nil || certificates.isEmpty else { throw ValidationError("--certificates needs --image.") }
    }

    func run() throws {
        let now = SystemClock.unixSeconds
        try PinsInput.checkPattern(host, "pins convert")
        let bytes = try PinsInput.bytes(of: file, "pins convert")
        let document = try PinsInput.document(bytes, of: file, from, host: host, now: now, "pins convert")
        var losses = document.losses
        if let to {
            let written = to.write(document.entries, now: now)
            losses += written.losses
            PinsInput.name(losses)
            guard written.losses.count(where: \.isOfWholeEntry) < document.entries.count else {
                StandardError.write("sallyport pins convert: no entry is left to write in the form \(to.rawValue)\n")
                throw CommandExit.answerWasNo
            }
            try StandardOutput.write(written.text)
        } else if let image {
            try compile(document, at: now, into: image)
            PinsInput.name(losses)
        }
        if strict, !losses.isEmpty { throw CommandExit.answerWasNo }
    }

    private func compile(_ document: PinDocument, at now: Int64, into image: String) throws {
        let known = try certificates.flatMap { try PinsInput.certificates(of: $0, "pins convert") }
        do {
            let policy = try PinPolicy(
                compiling: document.entries,
                version: policyVersion,
                at: now,
                knownCertificates: known
            )
            PinsInput.nameMistakenHashes(in: document.entries, of: known, policy: file)
            try FileReplacement.write(policy.image.span, to: image)
        } catch let error as FileWriteError {
            throw PinsInput.fail("pins convert", "\(image): \(FileProblem.writing(errno: error.errno))")
        } catch {
            throw PinsInput.fail("pins convert", "\(PinsInput.name(of: file)): \(error)")
        }
    }
}
