internal import ArgumentParser
internal import Foundation
internal import SPKIPins
internal import WireFormat

/// `sallyport pins extract`: prints the pin and the main fields of certificates.
struct PinsExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Prints pin, names, times and kind of key of each certificate.",
        discussion:
            """
            Reads PEM, with any number of certificates in a file, or DER. Nothing is validated: a pin alone proves nothing. \
            If the names or times of a certificate cannot be read, only its pin is printed, and the reason goes to standard \
            error. Exit status: 0 every certificate was read, 2 some were not.
            """
    )

    @Argument(help: "Files; standard input when absent or '-'.")
    var files: [String] = []

    @Flag(help: "One JSON object for each certificate.")
    var json = false

    private struct Certificate: Encodable {
        let subject: String
        let issuer: String
        let spkiSHA256: String
        let keyType: String
        let keyBits: Int?
        let notBefore: String
        let notAfter: String
        let isAuthority: Bool

        enum CodingKeys: String, CodingKey {
            case subject, issuer
            case spkiSHA256 = "spki_sha256"
            case keyType = "key_type"
            case keyBits = "key_bits"
            case notBefore = "not_before"
            case notAfter = "not_after"
            case isAuthority = "is_ca"
        }

        init(_ details: CertificateDetails) {
            subject = details.subject
            issuer = details.issuer
            spkiSHA256 = details.pin.base64Text
            keyType = details.key.type
            keyBits = details.key.bits
            notBefore = Timestamp.text(unixSeconds: details.notBefore)
            notAfter = Timestamp.text(unixSeconds: details.notAfter)
            isAuthority = details.isAuthority
        }
    }

    /// The JSON of a certificate of which only the pin can be read.
    private struct PinAlone: Encodable {
        let spkiSHA256: String

        enum CodingKeys: String, CodingKey {
            case spkiSHA256 = "spki_sha256"
        }

        init(_ pin: Pin) { spkiSHA256 = pin.base64Text }
    }

    func run() throws {
        var isComplete = true
        for file in files.isEmpty ? ["-"] : files {
            var output = ""
            let found: [Result<[UInt8], PEMError>]
            do {
                found = try PinsInput.readableCertificates(of: file, "pins extract")
            } catch is ExitCode {
                // Already reported; the command continues with the other files.
                isComplete = false
                continue
            }
            for (index, block) in found.enumerated() {
                let certificate: [UInt8]
                switch block {
                case .success(let bytes): certificate = bytes
                case .failure(let error):
                    _ = PinsInput.fail("pins extract", "\(PinsInput.name(of: file)): \(error)")
                    isComplete = false
                    continue
                }
                do throws(CertificateError) {
                    let details = try CertificateDetails(of: certificate.span)
                    output += json ? JSONValue.line(encoding: Certificate(details)) : text(details)
                } catch {
                    let place = "\(PinsInput.name(of: file).inOneLine): certificate \(index + 1)"
                    StandardError.write("sallyport pins extract: \(place): \(error)\n")
                    isComplete = false
                    // The pin is missing only if the structure up to the key is damaged.
                    guard let pin = try? Pin(ofCertificate: certificate.span) else { continue }
                    output += json ? JSONValue.line(encoding: PinAlone(pin)) : "\(pin)\n"
                }
            }
            try StandardOutput.write(output)
        }
        if !isComplete { throw CommandExit.couldNotRun }
    }

    private func text(_ details: CertificateDetails) -> String {
        let key = [details.key.type, details.key.bits.map(String.init)].compactMap(\.self).joined(separator: " ")
        return """
            \(details.pin)
              subject  \(details.subject.inOneLine)
              issuer   \(details.issuer.inOneLine)
              key      \(key)\(details.isAuthority ? ", of an authority" : "")
              valid    \(Timestamp.text(unixSeconds: details.notBefore)) to \(Timestamp.text(unixSeconds: details.notAfter))

            """
    }
}
