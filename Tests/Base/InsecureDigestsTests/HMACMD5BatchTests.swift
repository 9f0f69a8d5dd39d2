import InsecureDigests
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct HMACMD5BatchTests {
    @Test("RFC 2202 section 2, case 1, in every lane", arguments: LaneKernel.allCases)
    func publishedVector(kernel: LaneKernel) throws {
        try kernel.orCancel()
        let bytes = [UInt8](repeating: 0x0b, count: 16 * 66)
        let keys = HMACMD5.KeyBatch(bytes.span, kernel: kernel)
        let messages = [UInt8]((0..<66).map { _ in "Hi There".utf8 }.joined())
        let codes = HMACMD5.authenticate(each: messages.span, keys: keys, kernel: kernel)
        #expect(codes.count == 66)
        #expect(codes.allSatisfy { Hexadecimal.encode($0.bytes.span) == "9294727a3638bb1c13f48ef8158bfc9d" })
    }

    @Test("Every count up to 130 agrees with one by one", arguments: LaneKernel.allCases, UInt64(1)...2)
    func everyCount(kernel: LaneKernel, seed: UInt64) throws {
        try kernel.orCancel()
        var generator = SeededGenerator(seed: seed)
        for count in 1...130 {
            let length = DigestBatchTests.lengths[count % DigestBatchTests.lengths.count]
            let keyLength = 16
            let messages = generator.bytes(count * length)
            let keyBytes = generator.bytes(count * keyLength)
            let together = HMACMD5.KeyBatch(keyBytes.span, kernel: kernel)
            let apart = HMACMD5.KeyBatch(capacity: count)
            var expected: [[UInt8]] = []
            for index in 0..<count {
                let key = HMACMD5.Key(keyBytes.span.extracting((index * keyLength)..<((index + 1) * keyLength)))
                let message = messages.span.extracting((index * length)..<((index + 1) * length))
                apart.append(key)
                expected.append(HMACMD5.authenticate(message, key: key).bytes)
            }
            let codes = HMACMD5.authenticate(each: messages.span, keys: together, kernel: kernel)
            #expect(codes.map(\.bytes) == expected, "seed \(seed), \(count) messages of \(length) bytes")
            let codesApart = HMACMD5.authenticate(each: messages.span, keys: apart, kernel: kernel)
            #expect(codesApart.map(\.bytes) == expected, "seed \(seed), \(count) messages of \(length) bytes")
        }
    }

    @Test("Messages of many lengths agree with one by one", arguments: LaneKernel.allCases, UInt64(1)...4)
    func manyLengths(kernel: LaneKernel, seed: UInt64) throws {
        try kernel.orCancel()
        var generator = SeededGenerator(seed: seed)
        for count in [1, 2, 15, 16, 17, 63, 64, 65, 130] {
            let bytes = generator.bytes(4_000)
            let messages = (0..<count).map { index in
                // Every end of a block, among them; and parts of one memory may overlap.
                let length = index < 8 ? 51 + index : Int.random(in: 0...700, using: &generator)
                let start = Int.random(in: 0...(bytes.count - length), using: &generator)
                return start..<(start + length)
            }
            let keys = HMACMD5.KeyBatch(capacity: count)
            var expected: [[UInt8]] = []
            for message in messages {
                let keyBytes = generator.bytes(16)
                let key = HMACMD5.Key(keyBytes.span)
                keys.append(key)
                expected.append(HMACMD5.authenticate(bytes.span.extracting(message), key: key).bytes)
            }
            let codes = HMACMD5.authenticate(messages, in: bytes.span, keys: keys, kernel: kernel)
            #expect(codes.map(\.bytes) == expected, "seed \(seed), \(count) messages")
            let digests = MD4.hashes(of: messages, in: bytes.span, kernel: kernel)
            let apart = messages.map { MD4.hash(bytes.span.extracting($0)).bytes }
            #expect(digests.map(\.bytes) == apart, "seed \(seed), \(count) messages")
        }
    }

    @Test func aMessageOutsideIsTheCallersBug() async {
        await #expect(processExitsWith: .failure) {
            let bytes = [UInt8](repeating: 7, count: 16)
            _ = MD4.hashes(of: [10..<17], in: bytes.span)
        }
    }

    @Test func nothingIsPrinted() {
        let key = [UInt8](repeating: 7, count: 16)
        let keys = HMACMD5.KeyBatch(key.span)
        var dumped = ""
        dump(keys, to: &dumped)
        #expect("\(keys)" == "<HMAC-MD5 keys>" && !dumped.contains("midstates"))
    }

    @Test func oneKeyTooManyIsTheCallersBug() async {
        await #expect(processExitsWith: .failure) {
            let key = [UInt8](repeating: 7, count: 16)
            HMACMD5.KeyBatch(capacity: 0).append(HMACMD5.Key(key.span))
        }
    }
}
