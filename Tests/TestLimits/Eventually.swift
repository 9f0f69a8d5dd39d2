internal import Foundation

/// How long a test waits for an event, and how often it looks.
package enum Patience {
    /// Only a test that hangs waits so long. Shorter than ``Turn/limit``, so that the failure says what did not happen.
    package static let limit: Duration = .seconds(1_200)
    fileprivate static let pause = 0.005
    private static let clock = DispatchQueue(label: "pauses of tests")

    /// Not `Task.sleep`, which goes on only on a thread of the shared pool (``Turn``).
    fileprivate static func sleep() async {
        await withCheckedContinuation { continuation in
            clock.asyncAfter(deadline: .now() + pause) { continuation.resume() }
        }
    }
}

/// Waits until another task, thread or process has done something.
///
/// - Parameters:
///   - event: what the test waits for, and what there is instead. It is read when the wait fails.
///   - limit: how long the test waits.
///   - hasHappened: whether it is done.
/// - Throws: ``NeverHappened`` after `limit`, and what `hasHappened` throws.
package nonisolated(nonsending) func eventually(
    _ event: @autoclosure () -> String,
    within limit: Duration = Patience.limit,
    _ hasHappened: () async throws -> Bool
) async throws {
    _ = try await awaited(event(), within: limit) { try await hasHappened() ? true : nil }
}

/// ``eventually(_:within:_:)`` for a test without `async`, and for what it runs.
package func blockUntil(
    _ event: @autoclosure () -> String,
    within limit: Duration = Patience.limit,
    _ hasHappened: () throws -> Bool
) throws {
    let end = ContinuousClock.now + limit
    while try !hasHappened() {
        guard ContinuousClock.now < end else { throw NeverHappened(event: event(), limit: limit) }
        Thread.sleep(forTimeInterval: Patience.pause)
    }
}

/// Waits for a value, and returns it; the parameters are those of ``eventually(_:within:_:)``.
package nonisolated(nonsending) func awaited<Value>(
    _ event: @autoclosure () -> String,
    within limit: Duration = Patience.limit,
    _ find: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let found = try await find() { return found }
        try Task.checkCancellation()
        guard ContinuousClock.now < end else { throw NeverHappened(event: event(), limit: limit) }
        await Patience.sleep()
    }
}

/// What a test waited for did not happen.
package struct NeverHappened: Error, CustomStringConvertible {
    let event: String
    let limit: Duration

    package var description: String { "\(limit) have passed without this: \(event)" }
}
