import Foundation
import LiveServers
import TestSupport
import Testing

/// The version stands in the program; pages name the same one.
@Suite(.inTurn) struct VersionTests {
    @Test("The pages, the newest entry of the change log and the program have one version") func version() throws {
        let process = Process()
        process.executableURL = URL(filePath: BuiltProgram.sallyport)
        process.arguments = ["--version"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // The second line has the date of the public suffix list.
        let version = String(decoding: data, as: UTF8.self).prefix { $0 != "\n" }
        try #require(version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)

        let changes = try Repository.text(".github/CHANGELOG.md").split(separator: "\n")
        #expect(changes.first { $0.hasPrefix("## ") } == "## \(version)")
        let pages = try Repository.allPages().map(\.text).joined(separator: "\n")
        // Not the versions of other packages.
        let ours = /\.package\(url: "<where you got this repository>", from: "([^"]*)"|sallyport_([0-9.]+)_/
        let named = pages.matches(of: ours).compactMap { $0.1 ?? $0.2 }
        #expect(Set(named) == [Substring(version)] && named.count >= 3)
    }
}
