import Crypto
import Secrets
import TestSupport
import Testing
import WireFormat

@Suite struct WideDigestTests {
    private static let twoBlocks =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    @Test(
        "SHA-384: the examples of FIPS 180-4 by NIST",
        arguments: [
            ("abc", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
            (
                twoBlocks,
                "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"
            ),
        ]
    )
    func sha384(text: String, digest: String) {
        #expect(Hexadecimal.encode(WideDigest.sha384(Array(text.utf8).span).span) == digest)
    }

    @Test(
        "SHA-512: the examples of FIPS 180-4 by NIST",
        arguments: [
            (
                "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                twoBlocks,
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
        ]
    )
    func sha512(text: String, digest: String) {
        #expect(Hexadecimal.encode(WideDigest.sha512(Array(text.utf8).span).span) == digest)
    }

    @Test("Every length of up to five blocks agrees with swift-crypto")
    func everyLength() {
        var generator = SeededGenerator(seed: 13)
        let bytes = generator.bytes(650)
        for length in 0...640 {
            let message = bytes[length % 7..<length % 7 + length]
            let span = bytes.span.extracting(length % 7..<length % 7 + length)
            #expect(WideDigest.sha384(span) == Array(SHA384.hash(data: message)), "\(length) bytes")
            #expect(WideDigest.sha512(span) == Array(SHA512.hash(data: message)), "\(length) bytes")
        }
    }
}
