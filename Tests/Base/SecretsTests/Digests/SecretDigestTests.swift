import Crypto
import Foundation
import Secrets
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct SecretDigestTests {
    private static func sha512t256(_ message: Span<UInt8>) -> String {
        hexadecimal(SecretDigest(sha512t256Of: message))
    }

    private static func hexadecimal(_ digest: borrowing SecretDigest) -> String {
        var text = ""
        digest.withBytes { text = Hexadecimal.encode($0) }
        return text
    }

    @Test(
        "The examples by NIST: no block, one block, two blocks; a million bytes by Python's hashlib",
        arguments: [
            ("", 1, "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ("abc", 1, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                1, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
            ),
            ("a", 1_000_000, "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"),
        ]
    )
    func published(text: String, count: Int, digest: String) {
        let message = Array(String(repeating: text, count: count).utf8)
        #expect(Self.sha512t256(message.span) == digest)
    }

    @Test("SHA-512/256 of every length of up to five blocks agrees with Python's hashlib", .enabled(if: hasPython))
    func everyLength() throws {
        var generator = SeededGenerator(seed: 11)
        let bytes = generator.bytes(640)
        let script = """
            import hashlib, sys
            message = bytes.fromhex(sys.argv[1])
            for length in range(len(message) + 1): print(hashlib.new("sha512_256", message[:length]).hexdigest())
            """
        let theirs = try Self.python([script, Hexadecimal.encode(bytes.span)]).split(separator: "\n")
        #expect(theirs.count == bytes.count + 1)
        for (length, digest) in theirs.enumerated() {
            #expect(Self.sha512t256(bytes.span.extracting(0..<length)) == digest, "\(length) bytes")
        }
    }

    @Test("SHA-256 of every length of up to five blocks agrees with swift-crypto")
    func sha256() {
        var generator = SeededGenerator(seed: 12)
        let bytes = generator.bytes(330)
        for length in 0...320 {
            let range = length % 7..<length % 7 + length
            let digest = SecretDigest(sha256Of: bytes.span.extracting(range))
            let oracle = Array(SHA256.hash(data: bytes[range]))
            let ours = Self.hexadecimal(digest)
            #expect(ours == Hexadecimal.encode(oracle.span), "\(length) bytes")
        }
    }

    @Test("An erased digest is zeros")
    func erased() {
        let message = Array("abc".utf8)
        var digest = SecretDigest(sha512t256Of: message.span)
        digest.erase()
        let text = Self.hexadecimal(digest)
        #expect(text == String(repeating: "0", count: 64))
    }

    private static let hasPython =
        ProcessInfo.processInfo.environment["CI"] == "true"
        || (try? python(["import hashlib; hashlib.new('sha512_256')"])) != nil

    private static func python(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return String(decoding: data, as: UTF8.self)
    }
}
