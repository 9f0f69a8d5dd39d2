// Swift's other readers of certificates: prints the lines of a measurement file. A program of its own, because it needs two
// large packages, one with a second copy of BoringSSL, which would change the size and the layout of the program that they are compared with.
internal import Crypto
internal import Foundation
internal import NIOSSL
internal import PeerComparison
internal import SPKIPins
internal import SwiftASN1
internal import X509

let certificates = ItemFile([UInt8](try Data(contentsOf: URL(filePath: CommandLine.arguments[1])))).items
let writer = MeasurementFileWriter(isQuick: CommandLine.arguments.contains("--quick"))

/// Measures a way from certificates to the bytes of their keys and, with the same SHA-256 for all, to pins.
func compare(_ who: String, _ key: ([UInt8]) throws -> some Sequence<UInt8>) {
    var readable: [[UInt8]] = []
    for certificate in certificates {
        guard let key = try? Array(key(certificate)) else { continue }
        readable.append(certificate)
        let pin = try? Pin(ofCertificate: certificate.span)
        precondition(pin == Pin(hashing: key.span), "\(who) finds another key")
    }
    print(
        "about\t\(who)\treads \(readable.count) of \(certificates.count) certificates; the others are left out for it"
    )
    writer.measure("certificate to pin", by: who, per: readable.count) {
        var sum: UInt64 = 0
        for certificate in readable {
            guard let key = try? key(certificate) else { continue }
            let digest = SHA256.hash(data: Array(key))
            sum &+= unsafe digest.withUnsafeBytes { unsafe UInt64($0.loadUnaligned(as: UInt16.self)) }
        }
        return sum
    }
}

compare("swift-certificates") { certificate in
    // Its property `subjectPublicKeyInfoBytes` has the bits of the key alone.
    var serializer = DER.Serializer()
    try serializer.serialize(Certificate(derEncoded: certificate).publicKey)
    return serializer.serializedBytes
}
compare("NIOSSL") { try NIOSSLCertificate(bytes: $0, format: .der).extractPublicKey().toSPKIBytes() }
