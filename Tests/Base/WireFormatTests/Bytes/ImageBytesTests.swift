import TestSupport
import Testing
import WireFormat

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite struct ImageBytesTests {
    @Test(
        "Copies are what was copied, from nothing to more than a large page",
        arguments: [0, 1, 63, 64, (2 << 20) + 1]
    )
    func copies(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let image = ImageBytes(copying: bytes.span)
        #expect(image.count == count)
        let copy = image.withSpan { [UInt8](copying: $0) }
        #expect(copy == bytes)
    }

    @Test("A mapped file is what was written to it")
    func maps() throws {
        try withFile([1, 2, 3]) { path in
            let image = try ImageBytes(mappingFile: path, minimum: 3)
            let bytes = image.withSpan { [UInt8](copying: $0) }
            #expect(bytes == [1, 2, 3])
        }
    }

    @Test("A file with fewer bytes than any image is not mapped, nor is an empty one")
    func short() throws {
        try withFile([1, 2, 3]) { path in
            #expect(throws: ImageFileError.tooShort(available: 3)) { try ImageBytes(mappingFile: path, minimum: 4) }
        }
        try withFile([]) { path in
            #expect(throws: ImageFileError.tooShort(available: 0)) { try ImageBytes(mappingFile: path, minimum: 0) }
        }
    }

    @Test("A path that is not a regular file is refused at once, also a pipe without a writer")
    func irregular() throws {
        #expect(throws: ImageFileError.unreadable(errno: ENOENT)) {
            try ImageBytes(mappingFile: "/nowhere/at/all", minimum: 1)
        }
        #expect(throws: ImageFileError.unreadable(errno: ENODEV)) { try ImageBytes(mappingFile: "/tmp", minimum: 1) }
        let pipe = TemporaryFolder.path("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        defer { _ = unsafe unlink(pipe) }
        #expect(throws: ImageFileError.unreadable(errno: ENODEV)) { try ImageBytes(mappingFile: pipe, minimum: 1) }
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let path = TemporaryFolder.path("image")
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer { _ = unsafe unlink(path) }
        try #require(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
        try body(path)
    }
}
