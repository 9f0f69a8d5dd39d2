import Testing

/// The commands that README shows first are what CI runs, with nothing added.
@Suite struct FirstCommandsTests {
    @Test("CI runs README's commands as they stand") func commands() throws {
        let blocks = try Repository.text("README.md").split(separator: "```sh\n", maxSplits: 1)
        let first = try #require(blocks.last?.split(separator: "```").first)
        let commands = first.split(separator: "\n").map { $0.prefix { $0 != "#" } }
        let steps = try Repository.text(".ci/run").split(separator: "\n")
        #expect(commands.count == 2)
        for command in commands.map({ $0.replacing(/\s+$/, with: "") }) {
            // Only its output may be kept in a file besides.
            #expect(steps.contains { $0 == command || $0.hasPrefix("\(command) 2>&1 | tee ") }, "\(command)")
        }
    }
}
