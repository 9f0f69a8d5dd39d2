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

    @Test("What is overwritten is zero afterwards") func overwritten() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { unsafe memory.deallocate() }
        // In bounds: the block was allocated above, and each of its bytes gets a value here.
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0xA5)
        unsafe overwrite(memory)
        #expect(unsafe memory.allSatisfy { $0 == 0 })
        unsafe overwrite(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    @Test func emptySecretIsPossible() {
        let secret = SecretBytes(copying: [UInt8]().span)
        #expect(secret.count == 0)
    }
}
