package import ArgumentParser
internal import Foundation
package import PinFormats
package import SPKIPins
internal import WireFormat

/// `sallyport pins`: pins of certificates, and policies of pins.
struct PinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Extracts pins from certificates, checks chains and converts policies.",
        subcommands: [PinsExtractCommand.self, PinsCheckCommand.self, PinsConvertCommand.self]
    )
}

/// Input and messages that the commands about pins share.
package enum PinsInput {
    /// The most bytes of a file.
    package static let largestFile = 64 << 20

    /// Writes one error line and returns the exit status; `verb` is the command's full name, such as `pins check`.
    package static func fail(_ verb: String, _ text: String) -> ExitCode {
        StandardError.complain(verb, text)
        return CommandExit.couldNotRun
    }

    /// The name of an argument's file in messages.
    package static func name(of file: String) -> String { FileProblem.name(of: file) }

    /// The bytes of a file, or of standard input for `-`; text of UTF-16 in UTF-8.
    package static func bytes(of file: String, _ verb: String) throws -> [UInt8] {
        do {
            let handle =
                FileProblem.isStandardInput(file) ? .standardInput : try ArgumentPath.open(file)
            let data = try handle.read(upToCount: largestFile + 1) ?? Data()
            guard data.count <= largestFile else {
                throw fail(verb, "\(name(of: file)): more than \(largestFile) bytes; split it")
            }
            let bytes = [UInt8](data)
            // Certificates and compiled policies are binary.
            return ForeignFile(bytes.span) == .der ? bytes : try ForeignFile.text(bytes)
        } catch let form as ForeignFile {
            throw fail(verb, "\(name(of: file)): \(form)")
        } catch let code as ExitCode {
            throw code
        } catch {
            throw fail(verb, "\(name(of: file)): \(FileProblem.reading(file))")
        }
    }

    /// The certificates of a file in PEM or DER; a damaged one is an error.
    package static func certificates(of file: String, _ verb: String) throws -> [[UInt8]] {
        try readableCertificates(of: file, verb).map { certificate in
            do throws(PEMError) {
                return try certificate.get()
            } catch {
                throw fail(verb, "\(name(of: file)): \(error)")
            }
        }
    }

    /// The certificates of a file of roots.
    ///
    /// A block that is not a certificate is an error, because without its root the verb would refuse every server. A key and PKCS#12 in DER
    /// begin with the same bytes as a certificate.
    package static func roots(of file: String, _ verb: String) throws -> [[UInt8]] {
        let roots = try certificates(of: file, verb)
        for (index, root) in roots.enumerated() where (try? CertificateWalk(of: root.span)) == nil {
            let place = roots.count == 1 ? "it" : "certificate \(index + 1)"
            throw fail(verb, "\(name(of: file)): \(place) is not a certificate; give certificates in PEM or DER")
        }
        return roots
    }

    /// Names a file that holds certificates in another form.
    package static func checkContainer(_ bytes: [UInt8], of file: String, _ verb: String) throws {
        if let container = CertificateContainer(bytes.span) { throw fail(verb, "\(name(of: file)): \(container)") }
    }

    /// The certificates of a file in PEM or DER, at least one; a damaged one does not affect the others.
    package static func readableCertificates(of file: String, _ verb: String) throws -> [Result<[UInt8], PEMError>] {
        let bytes = try bytes(of: file, verb)
        try checkContainer(bytes, of: file, verb)
        let contents: CertificateInput.Contents
        do throws(PEMError) {
            contents = try CertificateInput.contents(in: bytes.span)
        } catch {
            throw fail(verb, "\(name(of: file)): \(error)")
        }
        guard !contents.certificates.isEmpty else {
            throw fail(verb, "\(name(of: file)): \(PEMLabel.noCertificate(besides: contents.otherLabels))")
        }
        return contents.certificates
    }

    /// A policy in the form of `--format`; in JSON without that option.
    package static func document(
        _ bytes: [UInt8],
        of file: String,
        _ format: PinFormat?,
        host: String?,
        now: Int64,
        _ verb: String
    ) throws -> PinDocument {
        if let form = ForeignFile(bytes.span) { throw fail(verb, "\(name(of: file)): \(form)") }
        do throws(PinFormatError) {
            return try (format ?? .json).read(bytes, host: host, now: now)
        } catch .hostNeeded {
            throw fail(verb, "\(name(of: file)): this form has no host: give the host pattern with --host")
        } catch {
            let reminder = format == nil ? " (it was read as json; --format names another form)" : ""
            throw fail(verb, "\(name(of: file)): \(error)\(reminder)")
        }
    }

    /// Writes one line to standard error for each part of a file or policy that the result cannot express.
    package static func name(_ losses: [PinLoss], of file: String? = nil) {
        let place = file.map { name(of: $0).inOneLine + ": " } ?? ""
        for loss in losses { StandardError.write("lost: \(place)\("\(loss)".inOneLine)\n") }
    }

    /// Warns of pins that are hashes of these certificates, and not of their keys.
    package static func nameMistakenHashes(in entries: [PinPolicy.Entry], of certificates: [[UInt8]], policy: String) {
        var mistaken = MistakenHashes()
        for certificate in certificates { mistaken.append(certificate: certificate) }
        for (index, entry) in entries.enumerated() {
            for pin in entry.pins + entry.backupPins {
                guard let origin = mistaken.origin(of: pin.pin) else { continue }
                StandardError.write(
                    "warning: \(name(of: policy).inOneLine): entry \(index): the pin \(pin.pin) is the hash of \(origin.kind), not of its key: write \(origin.pin) if that key is meant\n"
                )
            }
        }
    }

    /// Checks that the value of `--host` is a host pattern, if the option is given.
    package static func checkPattern(_ host: String?, _ verb: String) throws {
        guard let host else { return }
        do throws(HostPatternError) {
            _ = try HostPattern(parsing: host)
        } catch {
            throw fail(verb, "--host \(host): \(error)")
        }
    }

    /// A time as given with `--at`, or now.
    package static func time(at text: String?, _ verb: String) throws -> Int64 {
        guard let text else { return SystemClock.unixSeconds }
        do throws(TimestampError) {
            return try Timestamp(parsing: text).seconds
        } catch {
            throw fail(verb, "--at: \(error)")
        }
    }

    /// Whether these are the bytes of a compiled policy.
    package static func isImage(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SPKIPINS".utf8) }
}

extension Pin {
    /// The base64 alone, as other tools print it.
    package var base64Text: String { String(description.dropFirst("sha256/".count)) }
}
