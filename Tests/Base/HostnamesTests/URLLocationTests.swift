import Testing

@testable import Hostnames

@Suite struct URLLocationTests {
    @Test(
        "Origin and raw path",
        arguments: [
            ("https://host.example", "https://host.example", "/"),
            ("https://host.example/", "https://host.example", "/"),
            ("https://host.example?a=/b", "https://host.example", "/"),
            ("https://host.example#a/b", "https://host.example", "/"),
            ("HTTP://Host.Example:8080/a/B?c#d", "http://host.example:8080", "/a/B"),
            ("https://host.example/a/../%2e%2e/b", "https://host.example", "/a/../%2e%2e/b"),
            ("https://host.example//a//", "https://host.example", "//a//"),
            ("https://[::1]:8443/a@b:c", "https://[::1]:8443", "/a@b:c"), ("https://h/a?b\\c", "https://h", "/a"),
            ("https://h/\u{FC}", "https://h", "/\u{FC}"),
        ]
    )
    func parts(url: String, origin: String, path: String) throws {
        let location = try URLLocation(parsing: url)
        #expect(location.origin == (try Origin(parsing: origin)))
        #expect(location.path == path)
        #expect(location.description == origin + path)
    }

    @Test(
        "A text that is not certainly a URL is refused, with the place",
        arguments: [
            ("/path", URLLocationError.origin(.missingScheme(offset: 0))),
            ("https://u:p@h/", .origin(.userinfo(offset: 11))), ("https://h:x/", .origin(.invalidPort(offset: 10))),
            ("https://h\\path", .origin(.host(.forbiddenByte(0x5c, offset: 9)))),
            ("https://h/a\\b", .forbiddenByte(0x5c, offset: 11)), ("https://h/a b", .forbiddenByte(0x20, offset: 11)),
            ("https://h/\n", .forbiddenByte(0x0a, offset: 10)), (" https://h/", .forbiddenByte(0x20, offset: 0)),
            ("https://h/?a\tb", .forbiddenByte(9, offset: 12)), ("https://h/\u{7f}", .forbiddenByte(0x7f, offset: 10)),
            ("https://h/\u{0}", .forbiddenByte(0, offset: 10)),
        ]
    )
    func refused(url: String, error: URLLocationError) {
        #expect(throws: error) { try URLLocation(parsing: url) }
    }

    @Test("An \"@\" in the path does not mark a user") func atInPath() throws {
        #expect(try URLLocation(parsing: "https://h/@evil.example").origin.description == "https://h")
        #expect(try URLLocation(parsing: "https://h?@evil.example").origin.description == "https://h")
    }

    @Test("The length has a bound") func length() throws {
        let start = "https://h/"
        let longest = start + String(repeating: "a", count: URLLocation.maximumLength - start.utf8.count)
        #expect(try URLLocation(parsing: longest).path.utf8.count == URLLocation.maximumLength - 9)
        #expect(throws: URLLocationError.tooLong(length: URLLocation.maximumLength + 1)) {
            try URLLocation(parsing: longest + "a")
        }
    }

    @Test("Errors are one line each") func descriptions() {
        let errors: [URLLocationError] = [
            .origin(.userinfo(offset: 1)), .forbiddenByte(9, offset: 1), .tooLong(length: 1),
        ]
        #expect(errors.allSatisfy { !$0.description.contains("\n") && !$0.description.isEmpty })
    }
}
