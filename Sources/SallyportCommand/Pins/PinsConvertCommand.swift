internal import ArgumentParser
internal import Foundation
internal import PinFormats
internal import SPKIPins

/// `sallyport pins convert`: one form of pins into another, saying what is lost.
struct PinsConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts pins from one form into another.",
        discussion: """
            Forms: \(PinFormat.names). What the new form cannot say goes to standard error, one line each; an entry whose \
            host pattern has no counterpart is left out, never widened. With --image a policy is compiled instead.
            """
    )

    @Option(help: "The form to read.", transform: PinFormat.named)
    var from: PinFormat

    @Option(help: "The form to write to standard output.", transform: PinFormat.named)
    var to: PinFormat?

    @Option(help: "The host pattern, where the form to read names none (rfc7469, curl).")
    var host: String?

    @Option(help: "Compile the policy into this file, an image to map.")
    var image: String?

    @Option(help: "The version of the compiled policy.")
    var policyVersion: UInt64 = 1

    @Flag(help: "Exit with status 1 if anything is lost.")
    var strict = false

    @Argument(help: "The file; standard input when absent or '-'.")
    var file = "-"

    func validate() throws {
        guard (to == nil) != (image == nil) else { throw ValidationError("Give either --to or --image.") }
    }

    func run() throws {
        let now = Int64(Date().timeIntervalSince1970)
        let bytes = try PinsInput.bytes(of: file, "pins convert")
        let document: PinDocument
        do {
            document = try from.read(bytes, host: host, now: now)
        } catch {
            throw PinsInput.fail("pins convert", "\(file): \(error)")
        }
        var losses = document.losses
        if let to {
            let written = to.write(document.entries, now: now)
            losses += written.losses
            try StandardOutput.write(written.text)
        } else if let image {
            do {
                let policy = try PinPolicy(compiling: document.entries, version: policyVersion, at: now)
                try Data(policy.image).write(to: URL(filePath: image), options: .atomic)
            } catch let error as PinPolicyError {
                throw PinsInput.fail("pins convert", "\(file): \(error)")
            } catch {
                throw PinsInput.fail("pins convert", "\(image): cannot be written")
            }
        }
        for loss in losses { StandardError.write("lost: \("\(loss)".inOneLine)\n") }
        if strict, !losses.isEmpty { throw CommandExit.answerWasNo }
    }
}
