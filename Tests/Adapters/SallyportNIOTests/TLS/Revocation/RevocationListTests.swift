import LiveServers
import SwiftASN1
import TestLimits
import TestSupport
import Testing
import X509

@testable import SallyportNIO

@Suite(.inTurn) struct RevocationListTests {
    /// One element of DER; contents of less than 256 bytes.
    private static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let contents = parts.flatMap(\.self)
        return [tag] + (contents.count < 128 ? [] : [0x81]) + [UInt8(contents.count)] + contents
    }

    private static func time(_ text: String) -> [UInt8] { der(0x17, Array(text.utf8)) }

    /// The algorithm ECDSA with SHA-256 (RFC 5758 section 3.2).
    private static let algorithm = der(0x30, der(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
    private static let times = time("260101000000Z") + time("260201000000Z")

    /// A list by hand (RFC 5280 section 5.1) of an authority with an empty name. Its signature is of two bytes.
    private static func list(
        algorithm: [UInt8] = algorithm,
        outer: [UInt8]? = nil,
        times: [UInt8] = times,
        entries: [UInt8]...,
        extensions: [UInt8]...
    ) -> [UInt8] {
        let list = entries.isEmpty ? [] : der(0x30, entries.flatMap(\.self))
        let added = extensions.isEmpty ? [] : der(0xA0, der(0x30, extensions.flatMap(\.self)))
        return der(
            0x30,
            der(0x30, der(0x02, [1]), algorithm, der(0x30), times, list, added),
            outer ?? algorithm,
            der(0x03, [0, 0x12, 0x34])
        )
    }

    private static func entry(_ serial: [UInt8], _ extensions: [UInt8]...) -> [UInt8] {
        let list = extensions.isEmpty ? [] : der(0x30, extensions.flatMap(\.self))
        return der(0x30, der(0x02, serial), time("260101000000Z"), list)
    }

    private static func added(_ identifier: [UInt8], isCritical: Bool, _ value: [UInt8]) -> [UInt8] {
        der(0x30, der(0x06, identifier), isCritical ? der(0x01, [0xFF]) : [], der(0x04, value))
    }

    private static func reason(_ number: UInt8) -> [UInt8] {
        added([0x55, 0x1D, 0x15], isCritical: false, der(0x0A, [number]))
    }

    @Test("A list by hand: its times, its reasons, and a hold that is taken back")
    func byHand() throws {
        let list = try RevocationList(
            parsing: Self.list(
                entries: Self.entry([0x05], Self.reason(1)),
                Self.entry([0x00, 0x80]),
                Self.entry([0x04], Self.reason(8)),
                Self.entry([0x06], Self.reason(7))
            )
        )
        #expect(list.thisUpdate == RevocationMaker.date && list.nextUpdate == RevocationMaker.date + 31 * 86_400)
        #expect(list.count == 3)
        #expect(list.entry(of: [5]) == .init(date: RevocationMaker.date, reason: .keyCompromise))
        #expect(list.entry(of: [0x80]) == .init(date: RevocationMaker.date, reason: .unspecified))
        // 7 is not used (RFC 5280 section 5.3.1).
        #expect(list.entry(of: [6]) == .init(date: RevocationMaker.date, reason: .unspecified))
        for other in [[4], [], [0x85], [5, 0x80], [0x80, 0]] as [[UInt8]] { #expect(list.entry(of: other) == nil) }
        #expect(try RevocationList(parsing: Self.list()).count == 0)
        #expect(list.defect(at: list.nextUpdate) == nil && list.defect(at: list.thisUpdate) == nil)
        #expect(list.defect(at: list.nextUpdate + 1) == .ended(nextUpdate: list.nextUpdate))
        #expect(list.defect(at: list.thisUpdate - 1) == .notBegun(thisUpdate: list.thisUpdate))
    }

    @Test("What does not say which certificates of its issuer are revoked is refused by name")
    func refused() {
        let critical = Self.added([0x2A, 0x03], isCritical: true, [0x05, 0x00])
        let idp = [0x55, 0x1D, 0x1C] as [UInt8]
        let cases: [([UInt8], RevocationListError?)] = [
            (Self.list(extensions: Self.added([0x2A, 0x03], isCritical: false, [0x05, 0x00])), nil),
            (Self.list(extensions: critical), .unknownExtension("1.2.3", isOfEntry: false)),
            (Self.list(entries: Self.entry([1], critical)), .unknownExtension("1.2.3", isOfEntry: true)),
            (
                Self.list(entries: Self.entry([1], Self.added([0x55, 0x1D, 0x1D], isCritical: true, [0x30, 0]))),
                .indirect
            ),
            (Self.list(extensions: Self.added(idp, isCritical: true, [0x30, 3, 0x84, 1, 0xFF])), .indirect),
            (Self.list(extensions: Self.added(idp, isCritical: true, [0x30, 3, 0x85, 1, 0xFF])), .attributes),
            // onlyContainsUserCerts.
            (Self.list(extensions: Self.added(idp, isCritical: true, [0x30, 3, 0x81, 1, 0xFF])), nil),
            (Self.list(extensions: Self.added([0x55, 0x1D, 0x1B], isCritical: true, [0x02, 1, 1])), .delta),
            (Self.list(times: Self.time("260101000000Z")), .noNextUpdate),
            // SHA-1 with RSA.
            (
                Self.list(algorithm: Self.der(0x30, Self.der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 5]))),
                .otherAlgorithm("1.2.840.113549.1.1.5")
            ),
        ]
        for (bytes, expected) in cases {
            var found: RevocationListError?
            do throws(RevocationListError) { _ = try RevocationList(parsing: bytes) } catch { found = error }
            #expect(found == expected, "\(bytes)")
        }
    }

    @Test("What is no list in DER is refused at its place, and no cut one is read")
    func malformed() {
        let good = Self.list(entries: Self.entry([1]))
        let bad = [
            good + [0], Self.list(entries: Self.entry([0, 1])), Self.list(entries: Self.entry([])),
            Self.list(outer: Self.der(0x30, Self.der(0x06, [0x2B, 0x65, 0x70]))),
            Self.list(times: Self.time("261301000000Z") + Self.time("260201000000Z")),
        ]
        for bytes in bad + (0..<good.count).map({ Array(good.prefix($0)) }) {
            #expect {
                _ = try RevocationList(parsing: bytes)
            } throws: { error in
                if case RevocationListError.unreadable = error { true } else { false }
            }
        }
        #expect(throws: RevocationListError.noList) { try RevocationList.lists(in: Array("no list\n".utf8)) }
        let cut = "-----BEGIN X509 CRL-----\nMIIB\n"
        #expect(throws: RevocationListError.damagedPEM) { try RevocationList.lists(in: Array(cut.utf8)) }
    }

    @Test("OpenSSL's list and the set that it was made of agree", .needs(.openssl), arguments: UInt64(1)...3)
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let reasons: [(String, RevocationReason)] = [
            ("", .unspecified), ("keyCompromise", .keyCompromise), ("CACompromise", .cACompromise),
            ("affiliationChanged", .affiliationChanged), ("superseded", .superseded),
            ("cessationOfOperation", .cessationOfOperation), ("certificateHold", .certificateHold),
        ]
        // Short ones are close together, so that neighbours differ in their last byte only.
        var revoked: [[UInt8]: RevocationReason] = [:]
        var entries: [(serial: String, reason: String)] = []
        for _ in 0..<500 {
            let count = Int.random(in: 1...20, using: &random)
            let serial = (0..<count).map {
                $0 == 0 ? UInt8.random(in: 1...255, using: &random) : .random(in: 0...3, using: &random)
            }
            let (text, reason) = reasons.randomElement(using: &random) ?? reasons[0]
            guard revoked[serial] == nil else { continue }
            revoked[serial] = reason
            entries.append((Self.digits(serial), text))
        }
        let pem = try RevocationMaker(TestAuthority("Root").own).list(entries)
        let list = try #require(try RevocationList.lists(in: Array(pem.utf8)).first)
        #expect(list.issuer == "CN=Root" && list.count == revoked.count)
        for (serial, reason) in revoked {
            #expect(list.entry(of: serial) == .init(date: RevocationMaker.date, reason: reason))
            var neighbour = serial
            neighbour[neighbour.count - 1] ^= 1
            #expect((list.entry(of: neighbour) != nil) == (revoked[neighbour] != nil), "\(neighbour)")
        }
    }

    private static func digits(_ serial: [UInt8]) -> String {
        serial.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
