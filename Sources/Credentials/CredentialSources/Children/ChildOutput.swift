package import Secrets
internal import Waiting
internal import WireFormat

/// Runs a program for its output, on a thread of its own. Its session is killed at the time limit, and if the task is cancelled.
package enum ChildOutput {
    /// - Parameters:
    ///   - program: a path, or a name that is looked up in `$PATH`.
    ///   - arguments: those after the program's name.
    ///   - input: its standard input.
    ///   - mostBytes: the most bytes of its output.
    ///   - limit: the most time that it may take.
    /// - Returns: its standard output, whatever its exit status is.
    /// - Throws: ``ChildOutputError``, or `CancellationError`.
    package static func read(
        _ program: String,
        _ arguments: [String],
        input: [UInt8],
        mostBytes: Int,
        limit: Duration
    ) async throws -> [UInt8] {
        let child = ChildProcess(program: program, arguments: arguments, environment: [:], outputBytes: mostBytes)
        return try await run(child, input: input, limit: limit) { outcome in
            outcome.output.withBytes { [UInt8](copying: $0) }
        }
    }

    /// The standard output of a program that prints a secret, such as a private key. It gets no input.
    ///
    /// - Throws: ``ChildOutputError``, also if the program fails, or `CancellationError`.
    package static func secret(
        _ program: String,
        _ arguments: [String],
        mostBytes: Int,
        limit: Duration
    ) async throws -> SharedSecret {
        let child = ChildProcess(program: program, arguments: arguments, environment: [:], outputBytes: mostBytes)
        return try await run(child, input: [], limit: limit) { outcome in
            guard outcome.status == 0 else { throw ChildOutputError.failed(status: outcome.status) }
            return outcome.output.withBytes { SharedSecret(SecretBytes(copying: $0)) }
        }
    }

    private static func run<Value: Sendable>(
        _ child: ChildProcess,
        input: [UInt8],
        limit: Duration,
        _ take: @escaping @Sendable (borrowing ChildProcess.Outcome) throws -> Value
    ) async throws -> Value {
        let deadline = Deadline(after: limit)
        return try await OwnThread.run(waiting: limit) { interruption in
            let outcome: ChildProcess.Outcome
            do throws(ChildProcess.Failure) {
                outcome = try child.run(input: SecretBytes(copying: input.span), until: deadline, or: interruption)
            } catch {
                throw ChildOutputError(error)
            }
            return try take(outcome)
        }
    }
}

/// Why a program has no output.
package enum ChildOutputError: Error, Equatable {
    case timedOut
    case outputTooLong
    /// The program ended with this status; `nil` if a signal ended it.
    case failed(status: Int32?)
    case other(reason: String)

    init(_ failure: ChildProcess.Failure) {
        self =
            switch failure {
            case .timedOut: .timedOut
            case .outputTooLong: .outputTooLong
            case .notStarted(let code): .other(reason: SystemReason.text(code))
            case .noStatus: .other(reason: "SIGCHLD is ignored")
            case .cancelled: .other(reason: "it was cancelled")
            case .system(let operation, let code): .other(reason: "\(operation): \(SystemReason.text(code))")
            }
    }
}

extension ChildOutputError: CustomStringConvertible {
    /// What went wrong, after the name of the program. Nothing of its output is in it.
    package var description: String {
        switch self {
        case .timedOut: "did not end in time, or something that it started holds its output open"
        case .outputTooLong: "printed too much"
        case .failed(let status?): "ended with status \(status)"
        case .failed(nil): "was ended by a signal"
        case .other(let reason): "did not run (\(reason))"
        }
    }
}
