import Foundation
import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct ThreadLockTests {
    @Test("One thread at a time uses the value") func alone() {
        let lock = SharedCount()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { lock.count.withLock { $0 += 1 } }
        }
        #expect(lock.count.withLock { $0 } == 80_000)
    }

    @Test("An error leaves the lock free") func errors() {
        struct Stop: Error {}
        let lock = ThreadLock(1)
        #expect(throws: Stop.self) {
            try lock.withLock { value throws(Stop) -> Void in
                value = 2
                throw Stop()
            }
        }
        #expect(lock.withLock { $0 } == 2)
    }

    @Test("The value is destroyed with the lock") func destroyed() {
        weak var object: SharedCount?
        do {
            let guarded = SharedCount()
            object = guarded
            let lock = ThreadLock(guarded)
            #expect(lock.withLock { $0.count.withLock { $0 } } == 0)
        }
        #expect(object == nil)
    }

    @Test("The value need not be copyable") func notCopyable() {
        struct Single: ~Copyable { var number = 0 }
        let lock = ThreadLock(Single())
        lock.withLock { $0.number = 7 }
        #expect(lock.withLock { $0.number } == 7)
    }

    private final class SharedCount: Sendable {
        let count = ThreadLock(0)
    }
}
