internal import Secrets
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
        let deadline = Deadline(after: limit)
        return try await OwnThread.run(waiting: limit) { interruption in
            let child = ChildProcess(program: program, arguments: arguments, environment: [:], outputBytes: mostBytes)
            do throws(ChildProcess.Failure) {
                let outcome = try child.run(
                    input: SecretBytes(copying: input.span),
                    until: deadline,
                    or: interruption
                )
                return outcome.output.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            } catch {
                throw ChildOutputError(error)
            }
        }
    }
}

/// Why a program has no output.
package enum ChildOutputError: Error, Equatable {
    case timedOut
    case outputTooLong
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
