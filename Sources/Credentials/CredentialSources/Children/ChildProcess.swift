internal import CChildProcesses
internal import Secrets
internal import Waiting
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A program that gets bytes on its standard input and answers on its standard output.
///
/// It runs in a session of its own, so that it has no terminal to ask on, and so that one signal ends it and all that it started.
struct ChildProcess: Sendable {
    /// A path, or a name that is looked up in `$PATH`.
    let program: String
    /// The arguments after the program's name. They hold no secret, because every user of the machine may read them.
    let arguments: [String]
    /// Variables beside those of this process. They hold no secret.
    let environment: [String: String]
    /// The most bytes of its output. The rest of standard error is dropped.
    let outputBytes: Int

    /// The most bytes of standard error that are kept.
    static let complaintBytes = 4096

    /// How the program ended, and what it wrote.
    struct Outcome: ~Copyable {
        /// The exit status; `nil` if a signal ended it.
        let status: Int32?
        let output: SecretBuffer
        /// The beginning of standard error. It may hold a secret, so it is searched, and never shown.
        let complaints: SecretBuffer
    }

    /// Why the program did not run to its end.
    enum Failure: Error, Equatable {
        case notStarted(code: Int32)
        case timedOut
        case cancelled
        case outputTooLong
        /// The application ignores SIGCHLD, so the system forgets how a program ended.
        case noStatus
        case system(operation: String, code: Int32)
    }

    /// Runs the program to its end. After an error it is killed.
    func run(
        input: borrowing SecretBytes,
        until deadline: Deadline,
        or interruption: Interruption
    ) throws(Failure) -> Outcome {
        var (process, ends) = try start()
        defer { sallyport_child_ended(process) }
        var output = SecretBuffer(capacity: outputBytes + 1)
        var complaints = SecretBuffer(capacity: Self.complaintBytes)
        do throws(Failure) {
            try exchange(input, &ends, &output, &complaints, deadline, interruption)
            let status = try Self.wait(for: process, deadline, interruption)
            _ = complaints.read(from: ends.complaints.number)
            return Outcome(status: status, output: output, complaints: complaints)
        } catch {
            // Without a status the process has ended, and its number may be another one's.
            guard error != .noStatus else { throw error }
            Self.kill(process)
            throw error
        }
    }

    /// Ends the program and all that it has started, and waits for its end.
    static func kill(_ process: pid_t) {
        guard sallyport_child_is_ours(process) != 0 else { return }
        var status: Int32 = 0
        _ = systemKill(-process, SIGKILL)
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    // MARK: - Talking

    /// The ends of the pipes on this side.
    struct Ends {
        /// Dropped when all is written, so that the program sees the end of its input.
        var input: Descriptor?
        let output: Descriptor
        let complaints: Descriptor
    }

    private func exchange(
        _ input: borrowing SecretBytes,
        _ ends: inout Ends,
        _ output: inout SecretBuffer,
        _ complaints: inout SecretBuffer,
        _ deadline: Deadline,
        _ interruption: Interruption
    ) throws(Failure) {
        let (outputEnd, complaintEnd) = (ends.output, ends.complaints)
        var written = 0
        var hasComplaints = true
        while true {
            if written == input.count { ends.input = nil }
            var entries = [
                pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: outputEnd.number, events: Int16(POLLIN), revents: 0),
                // A negative descriptor is passed over.
                pollfd(fd: hasComplaints ? complaintEnd.number : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: ends.input?.number ?? -1, events: Int16(POLLOUT), revents: 0),
            ]
            let ready = unsafe poll(&entries, nfds_t(entries.count), deadline.pollMilliseconds)
            if ready < 0, errno != EINTR { throw .system(operation: "wait for the program", code: errno) }
            if entries[0].revents != 0 { throw .cancelled }
            if deadline.hasPassed { throw .timedOut }
            guard ready > 0 else { continue }
            if entries[3].revents != 0, let end = ends.input {
                switch Self.write(input, from: written, to: end) {
                case let count where count >= 0: written += count
                // The program reads no more, which is its right.
                default: if errno != EAGAIN, errno != EINTR { written = input.count }
                }
            }
            if entries[2].revents != 0 {
                // What is over the limit is dropped; the program must not wait for a full pipe.
                switch complaints.read(from: complaintEnd.number) {
                case .bytes, .notYet: break
                case .full: if !Self.drop(from: complaintEnd) { hasComplaints = false }
                case .end, .failed: hasComplaints = false
                }
            }
            if entries[1].revents != 0 {
                switch output.read(from: outputEnd.number) {
                case .bytes: if output.count > outputBytes { throw .outputTooLong }
                case .notYet: break
                case .full: throw .outputTooLong
                case .end: return
                case .failed(let code): throw .system(operation: "read the answer", code: code)
                }
            }
        }
    }

    static func write(_ input: borrowing SecretBytes, from start: Int, to end: Descriptor) -> Int {
        input.withBytes { bytes in
            // In bounds: the caller counts what was written.
            unsafe bytes.extracting(start...).withUnsafeBytes { unsafe systemWrite(end.number, $0) }
        }
    }

    /// Reads and forgets bytes; returns whether more may come.
    static func drop(from end: Descriptor) -> Bool {
        var spare = SecretBuffer(capacity: complaintBytes)
        switch spare.read(from: end.number) {
        case .bytes, .notYet: return true
        case .end, .full, .failed: return false
        }
    }

    /// Waits for the end of a process that has closed its output, which comes soon.
    private static func wait(
        for process: pid_t,
        _ deadline: Deadline,
        _ interruption: Interruption
    ) throws(Failure) -> Int32? {
        var pause: Int32 = 1
        while true {
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : nil }
            if found < 0, errno == ECHILD { throw .noStatus }
            if found < 0, errno != EINTR { throw .system(operation: "wait for the program", code: errno) }
            if deadline.hasPassed { throw .timedOut }
            var entry = pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, min(pause, deadline.pollMilliseconds)) > 0 { throw .cancelled }
            pause = min(pause * 2, 20)
        }
    }

    // MARK: - Starting

    func start() throws(Failure) -> (process: pid_t, ends: Ends) {
        let pipes: (input: Pipe, output: Pipe, complaints: Pipe)
        do throws(SystemError) {
            pipes = (try Pipe(), try Pipe(), try Pipe())
        } catch {
            throw .system(operation: error.operation, code: error.code)
        }
        for end in [pipes.input.writer, pipes.output.reader, pipes.complaints.reader] { end.makeNonBlocking() }
        // The descriptors stay open until the program has its copies.
        let process = try withExtendedLifetime(pipes) { () throws(Failure) in
            try spawn([pipes.input.reader.number, pipes.output.writer.number, pipes.complaints.writer.number])
        }
        return (
            process,
            Ends(input: pipes.input.writer, output: pipes.output.reader, complaints: pipes.complaints.reader)
        )
    }

    /// Starts the program with `descriptors` as 0, 1 and 2.
    private func spawn(_ descriptors: [Int32]) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        unsafe sallyport_spawn_close_others(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // This thread blocks signals, and the application may ignore some; the program starts with neither.
        var (none, usual) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigemptyset(&usual)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU] {
            unsafe sigaddset(&usual, signal)
        }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | sallyport_spawn_flags
        unsafe posix_spawnattr_setflags(&attributes, flags)

        // A signal ends this process and its programs.
        guard sallyport_child_starts() == 0 else { throw .cancelled }
        var process: pid_t = 0
        defer { sallyport_child_began(process) }
        let words = CStrings(([program] + arguments).map { SystemPath.bytes($0) })
        let added = environment.sorted { $0.key < $1.key }.map { Array("\($0)=\($1)".utf8) }
        let variables = CStrings(inheritedVariables() + added)
        let code = unsafe words.withPointers { words in
            unsafe variables.withPointers { variables in
                guard let name = unsafe words[0] else { return ENOENT }
                return unsafe posix_spawnp(&process, name, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else {
            process = 0
            throw .notStarted(code: code)
        }
        return process
    }

    /// The variables of this process, less those that ``environment`` sets.
    private func inheritedVariables() -> [[UInt8]] {
        var variables: [[UInt8]] = []
        guard let start = unsafe sallyport_environment() else { return [] }
        var index = 0
        while let text = unsafe start[index] {
            index += 1
            // A text that ends with a zero.
            let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
            let name = bytes.prefix { $0 != UInt8(ascii: "=") }
            if environment[String(decoding: name, as: UTF8.self)] == nil { variables.append(bytes) }
        }
        return variables
    }
}

private func systemKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }

// Outside the type, whose own names would hide the system's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
