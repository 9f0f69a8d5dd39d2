import Testing

@testable import AllowedSites

@Suite struct CompilerInvariantsTests {
    private func source(_ text: String) throws -> RuleSource {
        RuleSource([try SiteList(parsing: text, name: "list")])
    }

    @Test("Groups hold each rule once, and another number of rules breaks them")
    func groups() throws {
        let source = try source("host.example\n*.host.example\n10.0.0.0/8\nother.example:8443\n")
        var groups = RuleGroups(source, nil)
        #expect(groups.brokenInvariant(ruleCount: 4) == nil)
        #expect(groups.brokenInvariant(ruleCount: 5)?.contains("5 rules") == true)
        groups.dropNames()
        #expect(groups.brokenInvariant(ruleCount: 4) != nil)
    }

    @Test("Rule lists in another order, without rules or with unknown constraints are found")
    func ruleLists() {
        func broken(_ nodes: [(place: Int, rules: [UInt32])]) -> String? {
            var lists = RuleLists()
            for node in nodes {
                lists.add(node.rules.map { RuleLists.Rule(constraint: $0, origin: 1) }, place: node.place)
            }
            return lists.brokenInvariant(constraintCount: 2)
        }
        #expect(broken([(1, [0, 1]), (4, [1])]) == nil)
        #expect(broken([(4, [1]), (1, [0, 1])])?.contains("node 1") == true)
        #expect(broken([(1, [0]), (1, [0])])?.contains("node 1") == true)
        #expect(broken([(1, [])])?.contains("empty") == true)
        #expect(broken([(1, [1, 0])])?.contains("ascend") == true)
        #expect(broken([(1, [0, 2])])?.contains("constraint 2") == true)
    }

    @Test("Ranges belong to a number of networks")
    func ranges() {
        let networks: [(address: UInt32, length: Int)] = [(0x0a00_0000, 8), (0x0a01_0000, 16), (0xffff_ff00, 24)]
        let compiler = RangeCompiler(networks)
        #expect(compiler.brokenInvariant(networkCount: 3) == nil)
        #expect(compiler.brokenInvariant(networkCount: 2)?.contains("network 3") == true)
        #expect(compiler.brokenInvariant(networkCount: 4)?.contains("lengths") == true)
    }

    @Test("Sorted networks with their parents keep the invariant")
    func networks() {
        func network(_ address: UInt128, _ length: Int, _ position: Int) -> NetworkCompiler.Network {
            NetworkCompiler.Network(isIPv6: false, address: address << 96, length: length, positions: [position])
        }
        let compiler = NetworkCompiler(
            [network(0x0a01_0000, 16, 0), network(0x0a00_0000, 8, 1), network(0x0a00_0000, 8, 2)],
            rangesFrom: .max
        )
        #expect(compiler.brokenInvariant() == nil)
        #expect(compiler.networks.map(\.length) == [8, 16])
        #expect(compiler.networks.map(\.positions) == [[1, 2], [0]])
        #expect(compiler.parents == [0, 1])
    }
}
