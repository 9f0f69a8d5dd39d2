import CFuzzer

@testable import SPKIPins

/// One input: any bytes as a certificate.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    let details = try? CertificateDetails(of: bytes)
    let single = try? Pin(ofCertificate: bytes)
    let many = Pin.ofCertificates(at: [0..<count, 0..<count], in: bytes)
    precondition(many.count == 2 && many[0] == many[1] && single == (try? many[0].get()), "many are not as one")
    do throws(CertificateError) {
        let walk = try CertificateWalk(of: bytes)
        let key = walk.subjectPublicKeyInfo
        // One behind the other, all inside.
        let parts = [
            walk.serial, walk.issuer, walk.notBefore.range, walk.notAfter.range, walk.subject, key.range,
            walk.signatureAlgorithm,
        ]
        var end = 0
        for part in parts {
            precondition(part.lowerBound >= end && part.upperBound <= count, "a part is not where it belongs")
            end = part.upperBound
        }
        precondition(key.algorithm.lowerBound > key.range.lowerBound && key.key.upperBound == key.range.upperBound)
        precondition(key.algorithm.upperBound < key.key.lowerBound)
        precondition(single == Pin(hashing: bytes.extracting(key.range)), "a pin of other bytes than the key's")
        precondition(details.map { $0.pin == single } ?? true)
        precondition(PinMemo(slots: 1).pin(of: bytes.extracting(key.range)) == single)
    } catch {
        precondition(error.offset >= 0 && error.offset <= max(count, CertificateWalk.largestCertificate))
        precondition(!error.description.isEmpty)
        precondition(single == nil && details == nil, "something of what cannot be walked through")
    }
    if let details {
        for scalar in (details.subject + details.issuer).unicodeScalars {
            precondition(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), "a name could steer a terminal")
        }
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
