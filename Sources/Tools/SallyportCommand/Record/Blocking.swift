internal import Foundation

/// Runs asynchronous work and blocks the calling thread until it ends; a command has no other work meanwhile.
enum Blocking {
    private final class Box<Value: Sendable>: @unchecked Sendable {
        // Written before the signal and read after the wait.
        var result: Result<Value, any Error>?
    }

    static func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { box.result = .success(try await work()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw CancellationError() }
        return try result.get()
    }
}
