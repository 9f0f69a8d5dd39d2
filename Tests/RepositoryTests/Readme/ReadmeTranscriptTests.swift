import Foundation
import Testing

@Suite struct ReadmeTranscriptTests {
    @Test("The transcripts of README and the articles, command by command") func transcript() throws {
        let blocks = try Repository.pages().flatMap { $0.text.components(separatedBy: "```console\n").dropFirst() }
        #expect(blocks.count == 4)
        for block in blocks {
            let lines = block.components(separatedBy: "```")[0].split(separator: "\n")
            let commands = lines.filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
            let expected = lines.filter { !$0.hasPrefix("$ ") }
            #expect(try shell(commands.joined(separator: "\n"), in: Repository.root).split(separator: "\n") == expected)
        }
    }

    /// What a shell prints in `folder` that finds the built command first.
    private func shell(_ script: String, in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = folder
        // The executable is in the folder of the test bundle.
        let commands = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent().path
        process.arguments = ["-c", "PATH='\(commands)':\"$PATH\"\n" + script]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
