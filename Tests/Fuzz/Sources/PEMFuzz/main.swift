import CFuzzer

@testable import SPKIPins
@testable import WireFormat

/// One input: any bytes as a text of certificates.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    let certificates: [[UInt8]]
    do throws(PEMError) {
        certificates = try PEM.certificates(in: bytes)
    } catch {
        precondition(!error.description.isEmpty)
        precondition((try? CertificateInput.certificates(in: bytes)) == nil, "bytes that are not text are accepted")
        return 0
    }
    var size = 0
    for certificate in certificates {
        precondition(!certificate.isEmpty && certificate.count <= CertificateWalk.largestCertificate)
        size += certificate.count
    }
    // Four characters for three bytes, and two boundaries each.
    precondition(size <= count, "more came out than went in")
    guard let found = try? CertificateInput.certificates(in: bytes) else {
        preconditionFailure("a text that could be read is no input")
    }
    precondition(certificates.isEmpty || found == certificates)
    // What was found is found again in a text that holds it alone, whatever its line breaks.
    for ending in ["\n", "\r\n"] {
        var text: [UInt8] = []
        for certificate in certificates {
            let digits = Array(Base64.encode(certificate.span).utf8)
            text += Array("-----BEGIN CERTIFICATE-----\(ending)".utf8)
            for start in stride(from: 0, to: digits.count, by: 64) {
                text += digits[start..<min(start + 64, digits.count)] + Array(ending.utf8)
            }
            text += Array("-----END CERTIFICATE-----\(ending)".utf8)
        }
        let span = text.span
        guard let again = try? PEM.certificates(in: span) else { preconditionFailure("a text of our own is refused") }
        precondition(again == certificates, "a text of our own says something else")
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
