import NIOCore
import Testing

@testable import SallyportRelay

struct HeadMemoryTests {
    private let memory = HeadMemory()

    @Test("The memory of a head that was sent is that of the next one")
    func isUsedAgain() {
        let first = sendHead("GET /long/path HTTP/1.1\r\n")
        let second = sendHead("GET / HTTP/1.1\r\n")
        #expect(first == second)
    }

    @Test("A head that a channel still has to write keeps its bytes")
    func isNotTaken() {
        var waiting = memory.take(capacity: 64)
        waiting.writeString("GET /private HTTP/1.1\r\n")
        memory.giveBack(waiting)
        var next = memory.take(capacity: 64)
        next.writeString("POST /other HTTP/1.1\r\n")
        #expect(String(buffer: waiting) == "GET /private HTTP/1.1\r\n")
        #expect(String(buffer: next) == "POST /other HTTP/1.1\r\n")
    }

    @Test("A longer head gets as much room as it asks for, and a very long one is not kept")
    func grows() {
        _ = sendHead("GET / HTTP/1.1\r\n")
        #expect(memory.take(capacity: 2000).writableBytes >= 2000)
        let long = memory.take(capacity: 1 << 16)
        memory.giveBack(long)
        #expect(memory.take(capacity: 64).capacity < 1 << 16)
    }

    /// Where the head of a request lay that is sent at once.
    private func sendHead(_ text: String) -> UInt? {
        var head = memory.take(capacity: 64)
        #expect(head.readableBytes == 0)
        head.writeString(text)
        memory.giveBack(head)
        return unsafe head.withUnsafeReadableBytes { unsafe $0.baseAddress.map { UInt(bitPattern: $0) } }
    }
}
