import Foundation
import TestLimits
import TestSupport
import Testing

@testable import WireFormat

@Suite struct FileReadingTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = TemporaryFolder.place("reading")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test("A path that is not a regular file is refused at once", .inTurn)
    func onlyRegularFiles() throws {
        try inFolder { folder in
            let pipe = folder + "/pipe"
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            let cases = [(pipe, ENODEV), ("/dev/zero", ENODEV), (folder, EISDIR), (folder + "/absent", ENOENT)]
            for (path, reason) in cases {
                #expect(throws: FileReadError(errno: reason), "\(path)") { try FileReading.openFile(path) }
            }
            let kinds = try [pipe, folder].map { try FileReading.kind(of: $0) }
            #expect(kinds == [.other, .folder])
        }
    }

    @Test("A path is taken by a file, and by a link that leads nowhere") func taken() throws {
        try inFolder { folder in
            #expect(FileReading.isTaken(folder))
            #expect(!FileReading.isTaken(folder + "/link"))
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "nowhere")
            #expect(FileReading.isTaken(folder + "/link"))
            #expect(!FileReading.exists(folder + "/link"))
        }
    }

    @Test func foldersAreMadeWithThoseAboveThem() throws {
        try inFolder { folder in
            let path = SystemPath.text(Array("\(folder)/a/b".utf8) + [0xE9, 0x2F, 0x63])
            try FileReading.makeFolder(path)
            try FileReading.makeFolder(path)
            let names = try FileReading.names(inFolder: folder + "/a")
            #expect(names.map(SystemPath.bytes) == [[0x62, 0xE9]])
            try Data().write(to: URL(filePath: folder + "/file"))
            #expect(throws: FileReadError(errno: ENOTDIR)) { try FileReading.makeFolder(folder + "/file") }
            #expect(throws: FileReadError(errno: ENOTDIR)) { try FileReading.makeFolder(folder + "/file/below") }
            #expect(FileReading.isSameFile(folder + "/a/../file", folder + "/file"))
            #expect(!FileReading.isSameFile(folder + "/a", folder + "/file"))
        }
    }
}
