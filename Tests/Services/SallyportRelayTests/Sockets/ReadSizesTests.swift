import NIOCore
import TestSupport
import Testing

@testable import SallyportRelay

struct ReadSizesTests {
    @Test("Reads grow and shrink as those of SwiftNIO's own allocator do", arguments: UInt64(1)...16)
    func agreesWithSwiftNIO(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sizes = ReadSizes(512...1 << 16, first: 1024, keepsMemory: true)
        var theirs = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 1 << 16)
        for _ in 0..<1000 {
            let next = theirs.nextBufferSize() ?? 0
            #expect(sizes.nextBufferSize() == next)
            #expect(sizes.buffer(allocator: ByteBufferAllocator()).capacity == next)
            // As often full as half empty.
            let counts = [next, next, next / 2, next / 2 + 1, Int.random(in: 1...next, using: &random)]
            let count = counts.randomElement(using: &random) ?? next
            _ = sizes.record(actualReadBytes: count)
            _ = theirs.record(actualReadBytes: count)
        }
    }

    @Test("Where no memory is kept, a channel is told no size, and asks for new memory")
    func own() {
        var sizes = ReadSizes(1024...1 << 20, first: 16_384, keepsMemory: false)
        #expect(sizes.nextBufferSize() == nil)
        let asksForMemory = sizes.record(actualReadBytes: 16_384)
        #expect(asksForMemory)
        #expect(sizes.buffer(allocator: ByteBufferAllocator()).capacity == 32_768)
        #expect(sizes.nextBufferSize() == nil)
    }

    @Test("A channel holds it without memory of its own: an existential has room for 24 bytes")
    func isSmall() { #expect(MemoryLayout<ReadSizes>.size <= 24) }
}
