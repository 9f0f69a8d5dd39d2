import Foundation

/// Copies of this process, to be killed. Only for a process of an exit test, where no other test runs: a copy has only the thread
/// that asked for it, and a lock that another thread held would stay locked.
enum Forked {
    /// Runs `body` in a copy of this process; its status is 0, or 1 after an error.
    ///
    /// - Returns: the number of the process.
    static func start(_ body: () throws -> Void) throws -> pid_t {
        // Swift hides `fork`, because most of what a program may do afterwards fails. See above.
        typealias Fork = @convention(c) () -> pid_t
        #if canImport(Darwin)
            let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
        #else
            let everywhere: UnsafeMutableRawPointer? = nil
        #endif
        let address = unsafe try requireValue(dlsym(everywhere, "fork"))
        let process = unsafe unsafeBitCast(address, to: Fork.self)()
        guard process >= 0 else { throw Absent() }
        if process == 0 {
            do {
                try body()
                _exit(0)
            } catch {
                _exit(1)
            }
        }
        return process
    }

    /// Waits for the end of `process`; returns its status, or 128 and the number of the signal that ended it.
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}

/// A pipe between processes, for numbers.
struct NumberPipe {
    private let ends: (read: Int32, write: Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw Absent() }
        self.ends = (ends[0], ends[1])
    }

    func send(_ number: Int64) {
        unsafe withUnsafeBytes(of: number) { _ = unsafe write(ends.write, $0.baseAddress, 8) }
    }

    /// The next number; waits for it, and is `nil` when all writers are gone.
    func next() -> Int64? {
        var number: Int64 = 0
        let count = unsafe withUnsafeMutableBytes(of: &number) { unsafe read(ends.read, $0.baseAddress, 8) }
        return count == 8 ? number : nil
    }

    func closeWriter() { close(ends.write) }
    func closeReader() { close(ends.read) }
}
