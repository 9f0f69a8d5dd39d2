import Foundation
import TestSupport
import Testing
import WireFormat

@Suite struct FileReplacementTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = TemporaryFolder.place("replacement")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ bytes: [UInt8], _ place: URL) throws { try FileReplacement.write(bytes.span, to: place.path) }

    @Test("A file is made, and replaced; nothing else is left in its folder")
    func replaces() throws {
        try inFolder { folder in
            let file = folder.appending(path: "image")
            for bytes in [[1, 2, 3], [], [UInt8](repeating: 7, count: 1 << 20)] as [[UInt8]] {
                try write(bytes, file)
                #expect(try [UInt8](Data(contentsOf: file)) == bytes)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["image"])
        }
    }

    @Test(
        "The new file has the permissions that are asked for, also where the old one had others",
        arguments: [false, true]
    )
    func permissions(isDurable: Bool) throws {
        try inFolder { folder in
            let file = folder.appending(path: "image")
            func mode() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            }
            try write([1], file)
            #expect(try mode() == 0o644)
            let bytes: [UInt8] = [2]
            try FileReplacement.write(bytes.span, to: file.path, permissions: 0o600, isDurable: isDurable)
            #expect(try mode() == 0o600)
            #expect(try [UInt8](Data(contentsOf: file)) == [2])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["image"])
        }
    }

    @Test("A name may be as long as the system lets it")
    func longName() throws {
        try inFolder { folder in
            let file = folder.appending(path: String(repeating: "n", count: 255))
            for bytes in [[1], [2, 3]] as [[UInt8]] {
                try write(bytes, file)
                #expect(try [UInt8](Data(contentsOf: file)) == bytes)
            }
            #expect(throws: FileWriteError(errno: ENAMETOOLONG)) {
                try write([4], folder.appending(path: String(repeating: "n", count: 256)))
            }
        }
    }

    @Test("A link stays one, and the file behind it is replaced")
    func links() throws {
        try inFolder { folder in
            let (file, link) = (folder.appending(path: "image"), folder.appending(path: "link"))
            try write([1], file)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "image")
            try write([2], link)
            #expect(try [UInt8](Data(contentsOf: file)) == [2])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "image")
        }
    }

    @Test("A path that is not a regular file is not replaced, nor is a dangling link")
    func refuses() throws {
        try inFolder { folder in
            let (pipe, link) = (folder.appending(path: "pipe"), folder.appending(path: "link"))
            #expect(unsafe mkfifo(pipe.path, 0o600) == 0)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nothing")
            let cases: [(String, Int32)] = [
                ("/dev/null", ENODEV), (pipe.path, ENODEV), (folder.path, EISDIR), (link.path, ENOENT),
                (folder.path + "/no/such", ENOENT), (pipe.path + "/below", ENOTDIR),
            ]
            for (path, reason) in cases {
                #expect(throws: FileWriteError(errno: reason), "\(path)") {
                    try FileReplacement.write([1].span, to: path)
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["link", "pipe"])
        }
    }

    @Test("The next writer removes the files of a killed writer, and keeps those of a running one")
    func leftOver() throws {
        try inFolder { folder in
            let left = ".image.sallyport-0123456789abc.new"
            let kept = [
                ".image.sallyport-0123456789abd.new", ".other.sallyport-0123456789abc.new", ".image.new",
                ".image.sallyport-0123456789.new", ".image.x.sallyport-0123456789abc.new",
            ]
            for name in [left] + kept { try Data([9]).write(to: folder.appending(path: name)) }
            // Another writer has it open and locked.
            let descriptor = unsafe open(folder.appending(path: kept[0]).path, O_WRONLY)
            #expect(flock(descriptor, LOCK_EX) == 0)
            defer { close(descriptor) }
            try write([1], folder.appending(path: "image"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.sorted() == (kept + ["image"]).sorted())
        }
    }

    @Test("A name that is not UTF-8 is written, and only that name")
    func anyName() throws {
        try inFolder { folder in
            let path = SystemPath.text(Array(folder.path.utf8) + [0x2F, 0x63, 0xE9])
            for byte in [UInt8(1), 2] { try FileReplacement.write([byte].span, to: path) }
            let names = try FileReading.names(inFolder: folder.path)
            #expect(names.map(SystemPath.bytes) == [[0x63, 0xE9]])
            let bytes = try ImageBytes(mappingFile: path, minimum: 1)
            #expect(bytes.withSpan { $0[0] } == 2)
        }
    }

    @Test("Reasons are POSIX's words, except for a path that is not a regular file")
    func reasons() {
        #expect(SystemReason.text(EACCES) == "Permission denied")
        #expect(SystemReason.text(ENODEV) == "not a regular file")
    }
}
