/// Makes a value when it is needed first. Callers that come meanwhile share the work; after a failure the next caller tries again.
actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var running: Task<Value, any Error>?

    init(_ make: @escaping @Sendable () async throws -> Value) { self.make = make }

    var value: Value {
        get async throws {
            let task = running ?? Task { [make] in try await make() }
            running = task
            do {
                return try await task.value
            } catch {
                if running == task { running = nil }
                throw error
            }
        }
    }
}
