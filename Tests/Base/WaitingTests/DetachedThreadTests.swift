import Synchronization
import TestLimits
import Testing

@testable import Waiting

@Suite(.inTurn) struct DetachedThreadTests {
    @Test("Each thread runs its work once, also with many at a time") func runs() async throws {
        let done = Atomic(0)
        for _ in 0..<200 {
            let code = DetachedThread.start { done.add(1, ordering: .relaxed) }
            #expect(code == 0)
        }
        try await eventually("200 threads have run") { done.load(ordering: .relaxed) == 200 }
    }

    @Test("The thread holds its work no longer than it runs") func released() async throws {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let object = Held()
            held = object
            let code = DetachedThread.start { withExtendedLifetime(object) {} }
            #expect(code == 0)
        }
        try await eventually("the work is released") { held == nil }
    }
}
