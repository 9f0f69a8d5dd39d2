import TestSupport
import Testing

@testable import AllowedSites

@Suite struct PathDoubtTests {
    @Test(
        "Paths that name one resource",
        arguments: [
            "", "/", "/a", "/a/", "/a/b.c", "/...", "/..a", "/a..", "/.well-known/x", "/%61", "/%20", "/%C3%BC",
            "/%e0%a0%80",
            "/%f0%90%80%80", "/a;v=1/b", "/a@b:c!d$&'()*+,=~", "/a?q=../..", "/a#/../b", "?x=..",
        ]
    )
    func certain(path: String) {
        #expect(PathDoubt.first(in: path) == nil)
    }

    @Test(
        "Paths about which servers disagree",
        arguments: [
            ("a", PathDoubt.noLeadingSlash, 0), ("*", .noLeadingSlash, 0), ("%2fa", .noLeadingSlash, 0),
            ("/.", .dotSegment, 2), ("/..", .dotSegment, 3), ("/a/../b", .dotSegment, 5), ("/a/./b", .dotSegment, 4),
            ("/%2e%2e/b", .dotSegment, 7), ("/.%2E/b", .dotSegment, 5), ("/..;/b", .dotSegment, 3),
            ("/..?q", .dotSegment, 3),
            ("/.;v=1", .dotSegment, 2), ("//", .emptySegment, 1), ("//a", .emptySegment, 1),
            ("/a//b", .emptySegment, 3),
            ("/a/;x/b", .emptySegment, 3), ("/a/;", .emptySegment, 3), ("/a%2fb", .escape, 2), ("/a%2F..", .escape, 2),
            ("/%5c", .escape, 1), ("/%00", .escape, 1), ("/%0a", .escape, 1), ("/%7f", .escape, 1),
            ("/%25", .escape, 1),
            ("/%252e", .escape, 1), ("/%3f", .escape, 1), ("/%23", .escape, 1), ("/%3B", .escape, 1),
            ("/%", .escape, 1),
            ("/%4", .escape, 1), ("/%4/", .escape, 1), ("/%zz", .escape, 1), ("/%c0%af", .escape, 1),
            ("/%c1%9c", .escape, 1),
            ("/%e0%80%af", .escape, 4), ("/%f0%80%80%af", .escape, 4), ("/%e0%9f%bf", .escape, 4),
            ("/%f0%8f%bf%bf", .escape, 4), ("/%f5", .escape, 1), ("/%ff", .escape, 1), ("/a\\b", .byte, 2),
            ("/a b", .byte, 2), ("/a\tb", .byte, 2), ("/\u{0}", .byte, 1), ("/\u{7f}", .byte, 1), ("/\u{FC}", .byte, 1),
        ]
    )
    func doubtful(path: String, doubt: PathDoubt, offset: Int) {
        let found = PathDoubt.first(in: path)
        #expect(found?.doubt == doubt)
        #expect(found?.offset == offset)
    }

    @Test("Doubts agree with the naive reader", arguments: Effort.seeds(16, thorough: 64))
    func agreesWithNaiveReader(seed: UInt64) {
        var generator = SiteGenerator(seed: seed)
        for _ in 0..<300 {
            let path = generator.request().request.path
            #expect((PathDoubt.first(in: path) != nil) == NaivePath.isDoubtful(path), "\(path)")
        }
    }

    @Test(
        "Certain cover is strict, possible cover is loose",
        arguments: [
            // rule, request, certain, possible
            ("/app", "/app", true, true), ("/app", "/app/", true, true), ("/app", "/app/x", true, true),
            ("/app", "/apple", false, false), ("/app", "/", false, false), ("/app", "", false, false),
            ("/app", "/ap", false, false), ("/app", "/App", false, false), ("/app", "/x/app", false, false),
            ("/app", "/%61pp?q", true, true), ("/app", "/app?q", true, true), ("/app", "/app#f", true, true),
            ("/app/", "/app", false, true), ("/app/", "/app/", true, true), ("/app/", "/app/x", true, true),
            ("/app/", "/apple", false, false), ("/app", "/app;v=1", false, true), ("/app", "/app;v=1/x", false, true),
            ("/a/b", "/a;v/b;w", false, true), ("/a/b", "/a;v/c", false, false), ("/a@b", "/a%40b", false, true),
            ("/a%40b", "/a@b", false, true), ("/a%20b", "/a%20b/c", true, true), ("/%c3%bc", "/%C3%BC", true, true),
            ("/a/b", "/a", false, false), ("/a/b", "/a/", false, false),
        ]
    )
    func cover(rule: String, request: String, certainly: Bool, possibly: Bool) throws {
        let prefix = try #require(PathPrefix(certain: rule))
        #expect(PathPrefix.certainlyCovers(prefix.text.utf8, request.utf8) == certainly)
        #expect(PathPrefix.possiblyCovers(prefix.text.utf8, request.utf8) == possibly)
    }

    @Test("Segments are counted") func segmentCount() {
        #expect(PathPrefix(certain: "/") == nil)
        #expect(PathPrefix(certain: "/a")?.segmentCount == 1)
        #expect(PathPrefix(certain: "/a/")?.segmentCount == 1)
        #expect(PathPrefix(certain: "/a/b")?.segmentCount == 2)
    }
}
