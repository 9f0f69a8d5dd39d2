import Foundation
import LiveServers
import OAuth
import Secrets
import TestLimits
import TestSupport
import Testing
import TokenProofs

/// Assertions by RSA keys (RFC 7518 sections 3.3 and 3.5), which OpenSSL makes and whose signatures it verifies.
@Suite(.inTurn, .needs(.openssl)) struct RSATokenKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("rsa") }

    /// Whether the program succeeds.
    private func openssl(_ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private func secret(_ name: String) throws -> SharedSecret {
        SharedSecret(SecretBytes(copying: [UInt8](try Data(contentsOf: folder.url.appending(path: name))).span))
    }

    private static func decoded(_ text: Substring) throws -> Data {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)))
    }

    @Test("OpenSSL verifies each algorithm; the salt of PS256 is as long as the digest") func signatures() throws {
        let make = ["genpkey", "-algorithm", "RSA", "-outform", "DER", "-pkeyopt"]
        #expect(try openssl(make + ["rsa_keygen_bits:2048", "-out", "key.der"]))
        #expect(try openssl(["pkey", "-in", "key.der", "-inform", "DER", "-pubout", "-out", "public.pem"]))
        let options = [
            RSATokenKey.Algorithm.rs256: [],
            .ps256: ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"],
        ]
        let client = try OAuthClient.make()
        for (algorithm, options) in options {
            let key = try #require(RSATokenKey(pkcs8: secret("key.der"), algorithm: algorithm))
            #expect("\(key)" == "<RSA key of 2048 bits for \(algorithm.rawValue)>")
            let request = client.asserting(.rsa(key), keyID: "k1", at: 2_000).clientCredentials()
            let value = try #require(form(request).first { $0.hasPrefix("client_assertion=") }).dropFirst(17)
            let parts = value.split(separator: ".")
            let header = try JSONSerialization.jsonObject(with: Self.decoded(parts[0])) as? [String: String]
            #expect(header == ["typ": "JWT", "alg": algorithm.rawValue, "kid": "k1"])
            try Data(value[..<parts[1].endIndex].utf8).write(to: folder.url.appending(path: "message"))
            try Self.decoded(parts[2]).write(to: folder.url.appending(path: "signature"))
            let verify = ["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature"] + options
            #expect(try openssl(verify + ["message"]), "\(algorithm)")
        }
    }

    @Test("A key that is too short, and other bytes, are no key") func unusable() throws {
        let make = ["genpkey", "-algorithm", "RSA", "-outform", "DER", "-pkeyopt"]
        #expect(try openssl(make + ["rsa_keygen_bits:1024", "-out", "short.der"]))
        #expect(RSATokenKey(pkcs8: try secret("short.der")) == nil)
        #expect(RSATokenKey(pkcs8: SharedSecret(utf8: "short")) == nil)
    }
}
