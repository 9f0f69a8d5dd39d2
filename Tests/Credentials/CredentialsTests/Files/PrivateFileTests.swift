import Credentials
import Foundation
import Secrets
import TestLimits
import TestSupport
import Testing

/// The one opener of files with secrets.
@Suite(.inTurn) struct PrivateFileTests {
    /// A folder that is removed at the end, and what is written there.
    private final class Folder {
        let url = TemporaryFolder.place("private")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appending(path: name).path }

        @discardableResult
        func write(_ text: String, _ name: String, mode: Int = 0o600) throws -> String {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            return file.path
        }

        func link(_ name: String, to destination: String) throws -> String {
            let path = path(name)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
            return path
        }

        func pipe(_ name: String) throws -> String {
            try #require(unsafe mkfifo(path(name), 0o600) == 0)
            return path(name)
        }
    }

    private func text(_ path: String, _ limit: Int = 100) throws(PrivateFileProblem) -> String? {
        try PrivateFile.read(path, atMost: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Links

    @Test("A link is followed, and what it leads to is judged: as Kubernetes mounts a Secret, and through ..")
    func links() throws {
        let folder = try Folder()
        try folder.write("hunter2", "..2026_11_26/password")
        _ = try folder.link("..data", to: "..2026_11_26")
        #expect(try text(folder.link("password", to: "..data/password")) == "hunter2")
        try folder.write("x", "below/file")
        #expect(try text(folder.link("below/up", to: "../..data/password")) == "hunter2")
        try folder.write("hunter2", "..2026_11_27/password", mode: 0o644)
        let open = try folder.link("open", to: "..2026_11_27/password")
        #expect(throws: PrivateFileProblem.othersMayUse(mode: 0o644)) { try text(open) }
        #expect(throws: PrivateFileProblem.missing) { try text(folder.link("none", to: "..data/none")) }
    }

    @Test("What replaces the file after it was opened is not read") func replaced() throws {
        let folder = try Folder()
        let path = try folder.write("first", "secret")
        let file = try PrivateFile(path)
        try folder.write("another", "next", mode: 0o644)
        #expect(unsafe rename(folder.path("next"), path) == 0)
        #expect(try file.read(atMost: 100) == Array("first".utf8))
        #expect(try !file.isCurrent(at: path))
        #expect(throws: PrivateFileProblem.othersMayUse(mode: 0o644)) { try text(path) }
    }

    @Test(
        "A file of root's for our group is read, and no other one of root's or another user's",
        .enabled(if: geteuid() == 0, "only root can give files away")
    )
    func owners() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            #expect(unsafe chmod(folder.url.path, 0o755) == 0)
            let tests = PrivateFileTests()
            let (own, stranger) = (uid_t(65_534), uid_t(12_345))
            func make(_ name: String, _ owner: uid_t, _ mode: Int) throws -> String {
                let path = try folder.write("hunter2", name, mode: mode)
                try #require(unsafe chown(path, owner, own) == 0)
                return path
            }
            let shared = try make("shared", 0, 0o440)
            let open = try make("open", 0, 0o444)
            let strange = try make("strange", stranger, 0o440)
            let ours = try make("ours", own, 0o600)
            // As root: neither is its own file.
            #expect(throws: PrivateFileProblem.othersMayUse(mode: 0o440)) { try tests.text(shared) }
            #expect(throws: PrivateFileProblem.notOwned) { try tests.text(ours) }
            #expect(setegid(own) == 0 && seteuid(own) == 0)
            // The folder is removed after this, as root.
            defer { withExtendedLifetime(folder) { _ = seteuid(0) } }
            #expect(try tests.text(shared) == "hunter2" && tests.text(ours) == "hunter2")
            #expect(throws: PrivateFileProblem.othersMayUseRoots(mode: 0o444)) { try tests.text(open) }
            #expect(throws: PrivateFileProblem.notOwned) { try tests.text(strange) }
            #expect(throws: SecretReferenceError.notOwned(path: strange)) {
                try SecretReference.file(path: strange).load(strict: true)
            }
            // Without `strict` the page promises a warning.
            var warnings: [SecretReferenceError] = []
            #expect(try SecretReference.file(path: strange).load { warnings.append($0) }.count == 7)
            #expect(try SecretReference.file(path: shared).load { warnings.append($0) }.count == 7)
            #expect(warnings == [.notOwned(path: strange)])
        }
    }

    // MARK: Pipes

    @Test("A pipe is read to its end, whatever the parts", arguments: [["whole"], ["in ", "three ", "parts"], [""]])
    func pipe(parts: [String]) async throws {
        let folder = try Folder()
        let path = try folder.pipe("pipe")
        let writer = Thread {
            // Opening waits for the reader.
            guard let handle = FileHandle(forWritingAtPath: path) else { return }
            for part in parts { try? handle.write(contentsOf: Data(part.utf8)) }
            try? handle.close()
        }
        writer.start()
        #expect(try text(path) == parts.joined())
    }

    @Test("The name that a shell gives a pipe is read, also when its writer has ended before") func shellPipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(unsafe write(ends[1], "hunter2\n", 8) == 8)
        close(ends[1])
        let path = "/dev/fd/\(ends[0])"
        let secret = try SecretReference.file(path: path).load(strict: true)
        #expect(secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } == Array("hunter2".utf8))
    }

    @Test("A pipe with more than the limit is not a secret, and one without a writer ends after its time")
    func badPipes() throws {
        let folder = try Folder()
        let path = try folder.pipe("pipe")
        // Open for both, so that opening does not wait; the pipe keeps what is written.
        let descriptor = unsafe open(path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(unsafe write(descriptor, "0123456789", 10) == 10)
        #expect(try text(path, 9) == nil)
        let problem = PrivateFileProblem.system(operation: "read the pipe to its end within 0 s", code: ETIMEDOUT)
        #expect(throws: problem) {
            try PrivateFile(path, orPipe: true).read(atMost: 9, within: .milliseconds(20))
        }
        let other = try folder.pipe("other")
        #expect(throws: problem) {
            try PrivateFile(other, orPipe: true).read(atMost: 9, within: .milliseconds(20))
        }
    }

    @Test("A pipe that others may write, a folder and a device are refused") func noFiles() throws {
        let folder = try Folder()
        let path = try folder.pipe("pipe")
        #expect(unsafe chmod(path, 0o622) == 0)
        #expect(throws: PrivateFileProblem.othersMayUse(mode: 0o622)) { try text(path) }
        #expect(throws: PrivateFileProblem.system(operation: "open the file", code: EISDIR)) {
            try text(folder.url.path)
        }
        #expect(throws: PrivateFileProblem.system(operation: "open the file", code: ENODEV)) { try text("/dev/zero") }
        // Where a file is watched or written, a pipe is none.
        #expect(throws: PrivateFileProblem.system(operation: "open the file", code: ENODEV)) { try PrivateFile(path) }
    }
}
