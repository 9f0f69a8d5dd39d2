import PinFormats
import Testing

/// What another reader would read otherwise is an error.
@Suite struct CertainReadingTests {
    private func problem(_ format: PinFormat, _ text: String, now: Int64 = 0) -> String? {
        do throws(PinFormatError) {
            _ = try format.read(Array(text.utf8), host: "a.example", now: now)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static let pins = #""pins":["sha256/\#(one)","sha256/\#(two)"]"#

    @Test(
        "A repeated name in JSON",
        arguments: [
            (PinFormat.json, #"{"entries":[{"host":"a.example",\#(pins),"enforce":false,"enforce":true}]}"#, "enforce"),
            (.json, #"{"entries":[{"host":"a.example",\#(pins),"enforce":false,"enf\u006frce":true}]}"#, "enforce"),
            (.json, #"{"entries":[],"entries":[{"host":"a.example",\#(pins)}]}"#, "entries"),
            (
                .trustkit,
                #"{"TSKPinnedDomains":{"a.example":{"TSKPublicKeyHashes":["\#(one)","\#(two)"]},"a.example":{}}}"#,
                "a.example"
            ), (.chromium, "// a comment\n" + #"{"pinsets":[],"entries":[],"entries":[]}"#, "entries"),
        ]
    )
    func repeatedNames(format: PinFormat, text: String, name: String) {
        let line = format == .chromium ? 2 : 1
        #expect(problem(format, text) == "line \(line): '\(name)' stands twice in one object: keep one")
    }

    private func policy(_ format: PinFormat, expires: String) -> String {
        switch format {
        case .json: #"{"entries":[{"host":"a.example",\#(Self.pins),"expires":"\#(expires)"}]}"#
        case .trustkit:
            #"{"TSKPinnedDomains":{"a.example":{"TSKPublicKeyHashes":["\#(one)","\#(two)"],"TSKExpirationDate":"\#(expires)"}}}"#
        default:
            """
            <network-security-config><domain-config><domain>a.example</domain><pin-set expiration="\(expires)">\
            <pin digest="SHA-256">\(one)</pin><pin digest="SHA-256">\(two)</pin></pin-set></domain-config></network-security-config>
            """
        }
    }

    @Test(
        "A day or time that does not exist names its place, its value and a remedy",
        arguments: [PinFormat.json, .trustkit, .android],
        [
            ("2036-02-30", "the day 30 is not in 1 to 29"), ("2035-02-29", "the day 29 is not in 1 to 28"),
            ("2036-13-01", "the month 13"), ("2036-01-01T25:00:00Z", "the hour 25 is not in 0 to 23"),
            ("2036-01-01T00:00:61Z", "the second 61 is not in 0 to 59"),
            ("10000-01-01", "the year 10000 is not in 1 to 9999"),
            ("tomorrow", "is not a time"), ("1969-12-31", "before 1970"),
        ]
    )
    func impossibleTimes(format: PinFormat, time: (text: String, reason: String)) {
        #expect(problem(format, policy(format, expires: "2036-02-29")) == nil)
        let problem = problem(format, policy(format, expires: time.text)) ?? ""
        let place =
            switch format {
            case .json: "entries[0].expires: "
            case .trustkit: "a.example.TSKExpirationDate: "
            default: "line 1, <pin-set>: expiration: "
            }
        #expect(problem.hasPrefix("\(place)'\(time.text)'"), "\(problem)")
        #expect(problem.contains(time.reason) && problem.contains("write "), "\(problem)")
    }

    // RFC 7469 2.1: "Directives MUST NOT appear more than once", pins apart.
    @Test(
        "A second max-age is an error",
        arguments: ["max-age=1; max-age=2", "max-age=1; includeSubDomains; MAX-AGE=1", "max-age=0;max-age=\"0\""]
    )
    func secondAge(directives: String) {
        let text = "Public-Key-Pins: pin-sha256=\"\(one)\"; pin-sha256=\"\(two)\"; \(directives)"
        #expect(problem(.rfc7469, text) == "line 1: max-age appears twice: keep one (RFC 7469 2.1)")
    }

    @Test("An age reaches to the year 9999, and no further") func longAges() {
        let pins = "pin-sha256=\"\(one)\"; pin-sha256=\"\(two)\"; max-age="
        #expect(problem(.rfc7469, pins + "799", now: 253_402_300_000) == nil)
        #expect(
            problem(.rfc7469, pins + "800", now: 253_402_300_000)
                == "line 1: max-age '800' is not a number of seconds: write one from 0 to 799"
        )
        #expect(problem(.rfc7469, pins + "-1") != nil)
    }
}
