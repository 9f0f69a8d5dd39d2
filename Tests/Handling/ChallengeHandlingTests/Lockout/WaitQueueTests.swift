import Testing

@testable import ChallengeHandling

@Suite struct WaitQueueTests {
    @Test("What is granted to the first request is nobody else's until the grant ends") func grant() {
        var queue = WaitQueue()
        for number in [7, 9] as [UInt64] { queue.add(number) }
        let begin = MonotonicTime(nanoseconds: 0)
        let end = begin + WaitQueue.grantLimit
        #expect(queue.grantFirst(now: begin) == 7)
        #expect(queue.endOfGrant(toOtherThan: 9, now: begin) == end)
        // One that has not waited comes no earlier.
        #expect(queue.endOfGrant(toOtherThan: nil, now: begin) == end)
        #expect(queue.endOfGrant(toOtherThan: 7, now: begin) == nil)
        #expect(queue.grantFirst(now: begin) == nil)
        #expect(queue.endOfGrant(toOtherThan: 9, now: end) == nil)
        #expect(queue.grantFirst(now: end) == 9)
    }
}
