import Foundation
import Hostnames
import SPKIPins
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct PinReportTests {
    private static func mismatch(_ pattern: String, expiry: Int64? = nil) throws -> PinMismatch {
        let entry = PinPolicy.Entry(
            host: pattern,
            pins: [PositionedPin(.numbered(1))],
            backup: .pins([PositionedPin(.numbered(2))]),
            expiry: expiry,
            forbidden: [.numbered(3)]
        )
        let policy = try PinPolicy(compiling: [entry], version: 1, at: 0)
        let host = try Hostname(parsing: "a.host.example")
        guard case .mismatched(let mismatch) = policy.verdict(for: host, chain: try chain(), now: 0) else {
            throw CocoaError(.featureUnsupported)
        }
        return mismatch
    }

    private static func chain(_ names: [String] = ["chain-leaf", "chain-issuer"]) throws -> ValidatedChain {
        try ValidatedChain(assertingValidated: names.map { try Fixture.named($0) })
    }

    @Test("RFC 7469 3: the members of a report")
    func members() throws {
        let host = try Hostname(parsing: "A.host.example.")
        let served = try PresentedChain(copying: [Fixture.named("chain-leaf")])
        let report = PinReport(
            try Self.mismatch("**.host.example", expiry: 1_893_456_000),
            host: host,
            port: 8443,
            served: served,
            at: 951_782_400
        )
        let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
        let object = try #require(json)
        #expect(object.count == 9 && !report.json.contains("\n"))
        #expect(object["date-time"] as? String == "2000-02-29T00:00:00Z")
        #expect(object["hostname"] as? String == "a.host.example" && object["port"] as? Int == 8443)
        #expect(object["effective-expiration-date"] as? String == "2030-01-01T00:00:00Z")
        #expect(object["include-subdomains"] as? Bool == true && object["noted-hostname"] as? String == "host.example")
        let leaf = String(decoding: try Fixture.bytes(of: "chain-leaf.pem"), as: UTF8.self)
        let issuer = String(decoding: try Fixture.bytes(of: "chain-issuer.pem"), as: UTF8.self)
        #expect(object["served-certificate-chain"] as? [String] == [leaf])
        #expect(object["validated-certificate-chain"] as? [String] == [leaf, issuer])
        let pins = [Pin.numbered(1), .numbered(2)].map { "pin-sha256=\"\($0.description.dropFirst(7))\"" }
        #expect((object["known-pins"] as? [String])?.sorted() == pins.sorted())
    }

    @Test func whatIsNotThereIsSaidSo() throws {
        let host = try Hostname(parsing: "a.host.example")
        let report = PinReport(try Self.mismatch("a.host.example"), host: host, port: 443, at: 0)
        #expect(report.json.contains("\"served-certificate-chain\":[],"))
        #expect(report.json.contains("\"include-subdomains\":false,\"noted-hostname\":\"a.host.example\""))
        #expect(report.json.contains("\"effective-expiration-date\":\"9999-12-31T23:59:59Z\""))
    }

    @Test("A mismatch names the subjects, as OpenSSL prints them")
    func subjects() throws {
        let mismatch = try Self.mismatch("**.host.example")
        #expect(mismatch.subjects == ["CN=leaf.example", "CN=Issuer"])
        #expect(
            mismatch.explanation.contains("  0  sha256/f8enkME6iYEpri7ejjLRnDnYyRY8ChezHkly70IBcHI=  CN=leaf.example")
        )
    }

    @Test("Times are those of Foundation", arguments: UInt64(1)...16)
    func times(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<64 {
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            // Foundation's calendar turns Julian before 1582.
            guard seconds > -12_219_292_800 else { continue }
            #expect(
                Timestamp.text(unixSeconds: seconds) == Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
            )
        }
    }

    @Test func onceForEachHostAndChain() throws {
        let limiter = PinReportLimiter(interval: 100, limit: 3)
        let (one, other) = (try Hostname(parsing: "a.example"), try Hostname(parsing: "b.example"))
        let (chain, shorter) = (try Self.chain(), try Self.chain(["chain-leaf"]))
        #expect(limiter.isDue(one, chain, now: 1000))
        #expect(!limiter.isDue(one, chain, now: 1000) && !limiter.isDue(one, chain, now: 1099))
        #expect(limiter.isDue(one, shorter, now: 1050) && limiter.isDue(other, chain, now: 1050))
        // Full, and nothing is old enough to be forgotten.
        #expect(!limiter.isDue(other, shorter, now: 1099))
        #expect(limiter.isDue(other, shorter, now: 1100) && limiter.isDue(one, shorter, now: 1150))
        // Somebody set the clock back.
        #expect(limiter.isDue(one, shorter, now: 10))
    }

    @Test func manyThreadsGetOneReport() async throws {
        let limiter = PinReportLimiter()
        let (host, chain) = (try Hostname(parsing: "a.example"), try Self.chain())
        let due = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 { group.addTask { limiter.isDue(host, chain, now: 5) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(due == 1)
    }
}
