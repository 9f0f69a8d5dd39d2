internal import CChildProcesses
package import Secrets
package import Waiting

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A program that stays, and answers one question after another with lines on its standard output, such as Samba's `ntlm_auth`.
///
/// One thread uses it at a time. After an error do not ask again: a late answer would be taken for the answer to the next question.
/// The program ends with the last reference.
package final class ChildDialogue: Sendable {
    private let process: Int32
    private let ends: ChildProcess.Ends
    private let answerBytes: Int

    /// Why a question has no answer.
    package enum Failure: Error, Equatable {
        case notStarted(code: Int32)
        case timedOut
        case tooLong
        /// The program has ended, or closed its output.
        case ended
        case system(operation: String, code: Int32)
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - program: a path, or a name that is looked up in `$PATH`.
    ///   - arguments: hold no secret, because every user of the machine may read them.
    ///   - answerBytes: the most bytes of an answer.
    package init(_ program: String, _ arguments: [String], answerBytes: Int) throws(Failure) {
        self.answerBytes = answerBytes
        let child = ChildProcess(program: program, arguments: arguments, environment: [:], outputBytes: answerBytes)
        do throws(ChildProcess.Failure) {
            (process, ends) = try child.start()
        } catch {
            switch error {
            case .notStarted(let code): throw .notStarted(code: code)
            case .system(let operation, let code): throw .system(operation: operation, code: code)
            case .timedOut, .cancelled, .outputTooLong, .noStatus: throw .ended
            }
        }
    }

    deinit {
        sallyport_child_ended(process)
        ChildProcess.kill(process)
    }

    /// Asks, and waits for all lines up to one that is `last`.
    ///
    /// - Parameters:
    ///   - question: the lines to write.
    ///   - last: the line that ends an answer.
    ///   - body: reads the text before that line. It returns `nil` if the answer is not complete; then more lines are read.
    package func ask<Answer>(
        _ question: borrowing SecretBytes,
        until last: StaticString,
        within deadline: Deadline,
        _ body: (Span<UInt8>) -> Answer?
    ) throws(Failure) -> Answer {
        var answer = SecretBuffer(capacity: answerBytes)
        var written = 0
        var hasComplaints = true
        while true {
            let hasWritten = question.count == written
            var entries = [
                pollfd(fd: ends.output.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hasComplaints ? ends.complaints.number : -1, events: Int16(POLLIN), revents: 0),
                // A negative descriptor is passed over.
                pollfd(fd: hasWritten ? -1 : ends.input?.number ?? -1, events: Int16(POLLOUT), revents: 0),
            ]
            let ready = unsafe poll(&entries, nfds_t(entries.count), deadline.pollMilliseconds)
            if ready < 0, errno != EINTR { throw .system(operation: "wait for the program", code: errno) }
            if deadline.hasPassed { throw .timedOut }
            guard ready > 0 else { continue }
            if entries[2].revents != 0, let end = ends.input {
                let count = ChildProcess.write(question, from: written, to: end)
                if count >= 0 { written += count } else if errno != EAGAIN, errno != EINTR { throw .ended }
            }
            // The program must not wait for a full pipe.
            if entries[1].revents != 0 { hasComplaints = ChildProcess.drop(from: ends.complaints) }
            guard entries[0].revents != 0 else { continue }
            switch answer.read(from: ends.output.number) {
            case .bytes:
                let length = answer.withBytes { Self.length($0, before: last) }
                guard let length, let read = answer.withBytes({ body($0.extracting(first: length)) }) else { break }
                return read
            case .notYet: break
            case .full: throw .tooLong
            case .end: throw .ended
            case .failed(let code): throw .system(operation: "read the answer", code: code)
            }
        }
    }

    /// The number of bytes before the line `last`, which ends an answer; `nil` if it has not come.
    private static func length(_ bytes: Span<UInt8>, before last: StaticString) -> Int? {
        let count = last.utf8CodeUnitCount
        let start = bytes.count - count - 1
        guard start >= 0, bytes[bytes.count - 1] == UInt8(ascii: "\n"),
            start == 0 || bytes[start - 1] == UInt8(ascii: "\n")
        else { return nil }
        // In bounds: `count` bytes of the text, and as many before the last one of the span.
        return (0..<count).allSatisfy { unsafe bytes[start + $0] == last.utf8Start[$0] } ? start : nil
    }
}
