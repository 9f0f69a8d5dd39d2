internal import Secrets
internal import Waiting

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The side of a credential helper: Git starts it with the name of an operation, writes a request to its standard input, and reads
/// a reply from its standard output.
///
/// ```swift
/// let request = try await GitCredentialProtocol.readRequest(from: 0)
/// if let question = request.question, case .use(let found) = try await source.reply(to: question) {
///     try await GitCredentialProtocol.write(request.answered(by: found), to: 1)
/// }
/// ```
///
/// A helper that has nothing writes nothing. A helper must ignore an operation that it does not know.
public enum GitCredentialProtocol {
    /// What Git asks of a helper: its last argument.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        /// Find the credential.
        case get
        /// Keep the credential, which a server has accepted.
        case store
        /// Forget the credential, which a server has refused.
        case erase
    }

    /// Reads a request to its empty line or the end of the input.
    ///
    /// - Parameters:
    ///   - descriptor: where Git writes, such as standard input; it is not closed.
    ///   - timeLimit: how long to wait for it.
    /// - Throws: ``GitCredentialError``.
    public static func readRequest(
        from descriptor: Int32,
        timeLimit: Duration = .seconds(60)
    ) async throws -> GitCredentialMessage {
        let place = GitCredentialError.request
        let deadline = Deadline(after: timeLimit)
        return try await OwnThread.run { interruption in
            var buffer = SecretBuffer(capacity: GitCredentialLimits.messageBytes + 1)
            while !buffer.withBytes(hasEmptyLine) {
                guard try wait(for: descriptor, POLLIN, until: deadline, or: interruption) else {
                    throw GitCredentialError(place: place, problem: .timedOut)
                }
                switch buffer.read(from: descriptor) {
                case .bytes, .notYet: continue
                case .end: break
                case .full: throw GitCredentialError(place: place, problem: .tooLong)
                case .failed(let code):
                    throw GitCredentialError(place: place, problem: .system(operation: "read the request", code: code))
                }
                break
            }
            return try buffer.withBytes { bytes in try GitCredentialMessage(parsing: bytes, from: place) }
        }
    }

    /// Writes a reply.
    ///
    /// - Parameters:
    ///   - message: the request with a user and a password.
    ///   - descriptor: where Git reads, such as standard output; it is not closed.
    ///   - timeLimit: how long to wait for the reader.
    /// - Throws: ``GitCredentialError``.
    public static func write(
        _ message: GitCredentialMessage,
        to descriptor: Int32,
        timeLimit: Duration = .seconds(60)
    ) async throws {
        let place = GitCredentialError.request
        let deadline = Deadline(after: timeLimit)
        let bytes = SharedSecret(try message.encoded(for: place))
        try await OwnThread.run { interruption in
            var written = 0
            while written < bytes.count {
                guard try wait(for: descriptor, POLLOUT, until: deadline, or: interruption) else {
                    throw GitCredentialError(place: place, problem: .timedOut)
                }
                let count = bytes.withBytes { bytes in
                    // In bounds: `written` is less than the count.
                    unsafe bytes.extracting(written...).withUnsafeBytes { unsafe systemWrite(descriptor, $0) }
                }
                if count < 0, errno != EINTR, errno != EAGAIN {
                    throw GitCredentialError(place: place, problem: .system(operation: "write the reply", code: errno))
                }
                written += max(count, 0)
            }
        }
    }

    private static func hasEmptyLine(_ bytes: Span<UInt8>) -> Bool {
        let feed = UInt8(ascii: "\n")
        return bytes.indices.contains { bytes[$0] == feed && ($0 == 0 || bytes[$0 - 1] == feed) }
    }

    /// Waits until `descriptor` is ready; `false` when the time is over.
    private static func wait(
        for descriptor: Int32,
        _ event: Int32,
        until deadline: Deadline,
        or interruption: Interruption
    ) throws -> Bool {
        while !deadline.hasPassed {
            var entries = [
                pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(event), revents: 0),
            ]
            let ready = unsafe poll(&entries, 2, deadline.pollMilliseconds)
            if entries[0].revents != 0 { throw CancellationError() }
            if ready > 0 { return true }
        }
        return false
    }
}

// Outside the type, whose own `write` would hide the system's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
