import SPKIPins
import Testing

@testable import PinFormats

@Suite struct PatternNestingTests {
    @Test(
        "Wider patterns are those that would decide in a pattern's place, up to one that matches all its hosts",
        arguments: [
            ("a.b.c.example", ["**.a.b.c.example", "*.b.c.example", "**.b.c.example"], ["**.a.b.c.example"]),
            ("a.b.c.example", ["*.b.c.example", "**.b.c.example"], ["*.b.c.example"]),
            ("a.b.c.example", ["*.c.example", "**.c.example"], ["**.c.example"]),
            ("*.b.c.example", ["**.b.c.example"], ["**.b.c.example"]),
            ("*.b.c.example", ["*.c.example", "b.c.example", "a.b.c.example"], []),
            ("*.b.c.example", ["**.c.example"], ["**.c.example"]),
            ("**.b.c.example", ["*.c.example", "**.c.example"], ["*.c.example", "**.c.example"]),
            ("**.b.c.example", ["*.b.c.example", "b.c.example", "**.b.c.example"], []),
            ("xb.c.example", ["**.b.c.example", "**.B.C.example."], []), ("192.0.2.1", ["**.2.1"], []),
            ("b.c.example", ["**.C.EXAMPLE."], ["**.c.example"]),
        ]
    )
    func wider(pattern: String, others: [String], expected: [String]) throws {
        let pattern = try HostPattern(parsing: pattern)
        #expect(PatternNesting(others).wider(than: pattern) == expected)
    }

    @Test("A policy without the pattern decides by these patterns", arguments: UInt64(1)...40)
    func agreesWithPolicy(seed: UInt64) throws {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let bases = (0...3).flatMap { Self.names(depth: $0, labels: ["a", "b"]) }
        let patterns = bases.flatMap { [$0, "*." + $0, "**." + $0] }
        let chosen = Set((0..<(1 + next(12))).map { _ in patterns[next(patterns.count)] })
        let pattern = patterns[next(patterns.count)]
        let others = chosen.subtracting([pattern]).sorted()
        func decide(_ patterns: [String]) throws -> (String) throws -> String? {
            guard !patterns.isEmpty else { return { _ in nil } }
            let entries = patterns.map { host in
                PinPolicy.Entry(
                    host: host,
                    pins: [PositionedPin(numbered(1))],
                    backup: .unsafeSinglePin(reason: "a test"),
                    expiry: nil
                )
            }
            let policy = try PinPolicy(compiling: entries, version: 1, at: 0)
            return { host in policy.entryIndex(for: try HostPattern(parsing: host).base).map { patterns[$0] } }
        }
        let (with, without) = (try decide(others + [pattern]), try decide(others))
        var expected: Set<String> = []
        // The label c stands in no pattern, so the hosts with it are those that no narrower pattern can take away.
        let hosts = (0...5).flatMap { Self.names(depth: $0, labels: ["a", "b", "c"]) }
        for host in hosts where try with(host) == pattern {
            if let other = try without(host) { expected.insert(other) }
        }
        let found = PatternNesting(others).wider(than: try HostPattern(parsing: pattern))
        #expect(Set(found) == expected)
    }

    /// All names that stand `depth` labels below y.example.
    private static func names(depth: Int, labels: [String]) -> [String] {
        guard depth > 0 else { return ["y.example"] }
        return names(depth: depth - 1, labels: labels).flatMap { name in labels.map { "\($0).\(name)" } }
    }
}
