import Secrets
import Testing

@Suite struct SecretBytesTests {
    @Test func holdsWhatItWasGiven() {
        let secret = SecretBytes(copying: [1, 2, 3].span)
        #expect(secret.count == 3)
        let sum = secret.withBytes { bytes in bytes.indices.reduce(0) { $0 + Int(bytes[$1]) } }
        #expect(sum == 6)
    }

    @Test func consumingEmptiesTheArray() {
        var bytes: [UInt8] = [9, 9]
        let secret = SecretBytes(consuming: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret.count == 2)
    }

    @Test func nothingIsPrinted() {
        let secret = SharedSecret(SecretBytes(copying: [UInt8]("hunter2".utf8).span))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("104"))
        }
    }

    @Test func emptySecretIsPossible() {
        let secret = SecretBytes(copying: [UInt8]().span)
        #expect(secret.count == 0)
    }
}
