import SPKIPins
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn) struct PinMemoTests {
    @Test("What is remembered is what would be hashed, whatever the length", arguments: UInt64(1)...8)
    func agreesWithHash(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let memo = PinMemo(slots: 8)
        let keys = [0, 1, 31, 32, 33, 44, 91, 294, 550, 551, 552, 553, 700].flatMap { length in
            (0..<3).map { _ in generator.bytes(length) }
        }
        for _ in 0..<2000 {
            let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
            let pin = memo.pin(of: key.span)
            #expect(pin == Pin(hashing: key.span))
        }
    }

    @Test("S15: a key that differs in one bit is another key, wherever the bit is")
    func everyByteCounts() {
        let memo = PinMemo(slots: 1)
        var generator = SeededGenerator(seed: 5)
        for length in [91, 294, 297] {
            let key = generator.bytes(length)
            for offset in 0..<length {
                _ = memo.pin(of: key.span)
                var other = key
                other[offset] ^= 1
                let pin = memo.pin(of: other.span)
                #expect(pin == Pin(hashing: other.span))
            }
        }
    }

    @Test("Threads that read and write one slot get right pins only")
    func threads() async {
        let memo = PinMemo(slots: 1)
        let keys = (0..<4).map { number in [UInt8](repeating: UInt8(number), count: 294) }
        let pins = keys.map { Pin(hashing: $0.span) }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    var wrong = 0
                    for _ in 0..<20_000 {
                        let number = Int.random(in: 0..<4, using: &generator)
                        let key = keys[number]
                        let pin = memo.pin(of: key.span)
                        if pin != pins[number] { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
