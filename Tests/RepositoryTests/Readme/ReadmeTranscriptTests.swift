import Foundation
import LiveServers
import TestSupport
import Testing

@Suite(.inTurn) struct ReadmeTranscriptTests {
    /// What the pages start for their transcripts.
    private static let server = "guarded-page"
    private static let port = "28930"

    private static func blocks() throws -> [String] {
        try Repository.pages().flatMap { $0.text.components(separatedBy: "```console\n").dropFirst() }
            .map { $0.components(separatedBy: "```")[0] }
    }

    @Test("The transcripts of README and the articles, command by command") func transcript() throws {
        let blocks = try Self.blocks().filter { !$0.contains(Self.server) }
        #expect(blocks.count == 4)
        for block in blocks { try check(block) }
    }

    @Test("The transcript with a server", .needs(.python)) func live() throws {
        let blocks = try Self.blocks().filter { $0.contains(Self.server) }
        #expect(blocks.count == 1)
        // Another run on this machine may have the port of the page.
        for block in blocks {
            try #require(block.contains(Self.port))
            try check(block.replacing(Self.port, with: "\(ServerPort.take())"))
        }
    }

    private func check(_ block: String) throws {
        let lines = block.split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
        let expected = lines.filter { !$0.hasPrefix("$ ") }
        let printed = try shell(commands.joined(separator: "\n"), in: Repository.root).split(separator: "\n")
        #expect(printed == expected)
    }

    /// What a shell prints in `folder` that finds the built command first.
    private func shell(_ script: String, in folder: URL) throws -> String {
        let process = Process()
        let temporary = try TemporaryFolder("transcript")
        defer { withExtendedLifetime(temporary) {} }
        process.executableURL = URL(filePath: "/bin/sh")
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.url.path]) { $1 }
        process.currentDirectoryURL = folder
        let commands = BuiltProgram.folder.path
        process.arguments = ["-c", "PATH='\(commands)':\"$PATH\"\n" + script]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
