import TestSupport
import Testing
import WireFormat

@Suite struct FileLockTests {
    @Test("A lock that another holder keeps ends the wait at its limit, and a free one is had")
    func held() throws {
        let folder = try TemporaryFolder("lock")
        let path = folder.path("pins")
        func hold<Value>(
            within limit: Duration,
            _ body: () throws(FileWriteError) -> Value
        ) throws(FileWriteError) -> Value {
            try FileLock.hold(besides: path, within: limit, orThrow: { $0 }, body)
        }
        // A descriptor of its own has a lock of its own, also in one process.
        let reason = try hold(within: .seconds(600)) { () throws(FileWriteError) -> FileWriteError? in
            do throws(FileWriteError) {
                try hold(within: .milliseconds(20)) { () throws(FileWriteError) in }
                return nil
            } catch {
                return error
            }
        }
        #expect(reason?.isLockedElsewhere == true)
        #expect(try hold(within: .zero) { () throws(FileWriteError) in true })
    }
}
