import Foundation
import TestLimits
import TestSupport
import Testing

@testable import SPKIPins

/// What people hash by mistake, made by OpenSSL from certificates of the fixtures.
@Suite(
    .inTurn,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "apt-get install openssl")
)
struct MistakenHashTests {
    /// The digest that a pipeline prints; `F` in it is the certificate's file.
    private static func digest(_ pipeline: String, _ file: String) throws -> Pin {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let path = HelperFile.path("Certificates/\(file)")
        process.arguments = [
            "-c", "F='\(path)'; { \(pipeline); } 2>/dev/null | openssl dgst -sha256 -binary | openssl base64",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return try Pin(parsing: text.trimmingCharacters(in: .newlines))
    }

    private static let pipelines: [(String, MistakenHash, onlyRSA: Bool)] = [
        (#"openssl x509 -in "$F" -outform der"#, .certificate, false),
        (#"openssl x509 -in "$F""#, .certificateText, false),
        (#"openssl x509 -in "$F" | sed 's/$/\r/'"#, .certificateText, false),
        (#"openssl x509 -in "$F" | grep -v -e -----"#, .certificateText, false),
        (#"openssl x509 -in "$F" -noout -pubkey"#, .keyText, false),
        (#"printf %s "$(openssl x509 -in "$F" -noout -pubkey)""#, .keyText, false),
        (#"openssl x509 -in "$F" -noout -pubkey | grep -v -e ----- | tr -d '\n'"#, .keyText, false),
        (#"openssl x509 -in "$F" -noout -pubkey | openssl rsa -pubin -RSAPublicKey_out -outform der"#, .keyBits, true),
        (#"openssl x509 -in "$F" -noout -pubkey | openssl rsa -pubin -RSAPublicKey_out"#, .keyBitsText, true),
    ]

    @Test(
        "Each mistake is named, with the right pin",
        arguments: ["rsa2048.pem", "p256.pem", "p384.pem", "ed25519.pem"]
    )
    func each(file: String) throws {
        let text = [UInt8](try Data(contentsOf: HelperFile.url("Certificates/\(file)")))
        let certificate = try #require(try PEM.certificates(in: text.span).first)
        var mistaken = MistakenHashes()
        mistaken.append(certificate: certificate)
        let right = try Self.digest(
            #"openssl x509 -in "$F" -noout -pubkey | openssl pkey -pubin -outform der"#,
            file
        )
        #expect(mistaken.origin(of: right) == nil)
        for (pipeline, kind, onlyRSA) in Self.pipelines where !onlyRSA || file.hasPrefix("rsa") {
            let origin = mistaken.origin(of: try Self.digest(pipeline, file))
            #expect(origin == MistakenHashes.Origin(kind: kind, pin: right), "\(pipeline)")
        }
    }

    @Test("Certificates that cannot be read, and none") func unreadable() {
        var mistaken = MistakenHashes()
        #expect(mistaken.origin(of: .numbered(1)) == nil)
        mistaken.append(certificate: [])
        mistaken.append(certificate: [0x30, 0x80])
        let nothing: [UInt8] = []
        let pin = Pin(hashing: nothing.span)
        #expect(mistaken.origin(of: pin) == nil)
    }
}
