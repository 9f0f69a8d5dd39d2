import Foundation
import SPKIPins
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct CertificateDetailsTests {
    private func details(_ certificate: [UInt8]) throws(CertificateError) -> CertificateDetails {
        try CertificateDetails(of: certificate.span)
    }

    /// - Returns: how many certificates both peers can read: of these each field is compared, of others the pin.
    @discardableResult
    private func agree(_ certificates: [[UInt8]]) throws -> Int {
        let answers = try CertificatePeers.answers(for: certificates)
        try #require(answers.count == certificates.count)
        var compared = 0
        for (certificate, answer) in zip(certificates, answers) {
            let ours = try details(certificate)
            #expect(ours.pin.description == answer.openssl.map { "sha256/\($0)" })
            guard let theirs = answer.cryptography else { continue }
            compared += 1
            #expect(ours.subject == theirs.subject)
            #expect(ours.issuer == theirs.issuer)
            #expect(ours.notBefore == theirs.notBefore)
            #expect(ours.notAfter == theirs.notAfter)
            #expect(ours.isAuthority == theirs.isCa)
            if let type = theirs.keyType {
                #expect(ours.key.type == type)
                #expect(ours.key.bits == theirs.keyBits)
            }
        }
        return compared
    }

    @Test(
        "Every field of the machine's bundle is what OpenSSL and cryptography say",
        .enabled(
            if: CertificatePeers.areHere && Corpus.hasBundle,
            "needs Python with cryptography, libcrypto and /etc/ssl/certs/ca-certificates.crt"
        )
    )
    func bundle() throws {
        let certificates = try Corpus.certificates([Corpus.bundle])
        #expect(certificates.count > 50)
        #expect(try agree(certificates) == certificates.count)
    }

    @Test(
        "Every field of recorded certificates is what OpenSSL and cryptography say",
        .enabled(
            if: CertificatePeers.areHere && !RecordedCertificates.files.isEmpty,
            "needs Python with cryptography; or \(RecordedCertificates.whyNot)"
        )
    )
    func recordings() throws {
        let certificates = try Corpus.certificates(RecordedCertificates.files)
        #expect(!certificates.isEmpty)
        #expect(try agree(certificates) == certificates.count)
    }

    @Test("Fixtures of every kind of key", .enabled(if: CertificatePeers.areHere, "needs Python with cryptography"))
    func fixtures() throws {
        #expect(try agree(try Fixture.all.map { try $0.der }) == Fixture.all.count)
    }

    @Test(
        "Names are escaped as RFC 4514 2.4 says, and control characters too",
        arguments: [
            ("a,b", "a\\,b"), (" a ", "\\ a\\ "), ("#a", "\\#a"), ("a\"+<>;\\", "a\\\"\\+\\<\\>\\;\\\\"),
            ("a\u{1B}[31m", "a\\1B[31m"), ("é", "é"), ("", ""),
        ]
    )
    func escapes(value: String, text: String) throws {
        var certificate = HandmadeCertificate()
        certificate[.subject] = der(0x30, der(0x31, der(0x30, [6, 3, 0x55, 4, 3], der(0x0C, Array(value.utf8)))))
        #expect(try details(certificate.bytes).subject == "CN=\(text)")
    }

    @Test(
        "What the walk passes over and the details do not",
        arguments: [
            (.serial, [0x02, 0x00]), (.serial, [0x02, 0x02, 0x00, 0x01]), (.issuer, [0x30, 0x01, 0xFF]),
            (.subject, der(0x30, der(0x31))), (.notBefore, der(0x17, Array("never".utf8))),
            (.innerAlgorithm, [0x30, 0x00]), (.outerAlgorithm, [0x30, 0x00]), (.signature, [0x03, 0x00]),
            (.afterKey, der(0xA3, [0xFF, 0xFF])), (.afterKey, der(0xA3, der(0x30, [0x01, 0x01, 0x00]))),
            (.version, der(0xA0, der(0x02, [9]))),
        ] as [(HandmadeCertificate.Part, [UInt8])]
    )
    func malformed(part: HandmadeCertificate.Part, bytes: [UInt8]) throws {
        var certificate = HandmadeCertificate()
        _ = try details(certificate.bytes)
        certificate[part] = bytes
        let damaged = certificate.bytes
        _ = try Pin(ofCertificate: damaged.span)
        #expect(throws: CertificateError.self) { try details(damaged) }
    }
}

@Suite(.inTurn) struct MutationTests {
    /// The first of each kind of certificate, so that truncations and changes meet every part.
    private static let names = ["rsa2048", "p256", "ed25519", "rsapss-sha256", "v1", "negative-serial", "chain-leaf"]

    private struct Case {
        let name: String
        let bytes: [UInt8]
    }

    private func cases() throws -> [Case] {
        var cases: [Case] = []
        for fixture in Fixture.all where Self.names.contains(fixture.name) {
            let original = try fixture.der
            for count in 0..<original.count {
                cases.append(Case(name: "\(fixture.name) cut to \(count)", bytes: Array(original.prefix(count))))
            }
        }
        var generator = SeededGenerator(seed: 50_000)
        for number in 0..<Effort.rounds(5_000, thorough: 50_000) {
            let name = Self.names[number % Self.names.count]
            var bytes = try Fixture.named(name)
            let offset = Int.random(in: 0..<bytes.count, using: &generator)
            let value = UInt8.random(in: 0...255, using: &generator)
            cases.append(
                Case(
                    name: "\(name) \(offset) \(value)",
                    bytes: {
                        bytes[offset] = value; return bytes
                    }()
                )
            )
        }
        return cases
    }

    @Test(
        "Truncations and changed bytes: nothing is accepted that both peers refuse, and what is refused alone is listed",
        .enabled(if: CertificatePeers.areHere, "needs Python with cryptography, and libcrypto")
    )
    func agreesWithPeers() throws {
        let cases = try cases()
        let answers = try CertificatePeers.answers(for: cases.map(\.bytes))
        try #require(answers.count == cases.count)
        var refusedAlone: [String: CertificateError] = [:]
        for (item, answer) in zip(cases, answers) {
            do throws(CertificateError) {
                let ours = try CertificateDetails(of: item.bytes.span)
                #expect(answer.openssl != nil || answer.cryptography != nil, "accepted alone: \(item.name)")
                if let pin = answer.openssl { #expect(ours.pin.description == "sha256/\(pin)", "\(item.name)") }
            } catch {
                if answer.openssl != nil, answer.cryptography != nil { refusedAlone[item.name] = error }
            }
        }
        let lines = String(decoding: try Fixture.bytes(of: "refused-alone.txt"), as: UTF8.self).split(separator: "\n")
        let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t", maxSplits: 1).map(String.init) }
        let listed = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
        for (name, error) in refusedAlone where listed[name] != "\(error)" {
            Issue.record("refused alone, and not listed so: \(name)\t\(error)")
        }
        let tried = Set(cases.map(\.name))
        for name in listed.keys where refusedAlone[name] == nil && tried.contains(name) {
            Issue.record("listed, and not refused alone: \(name)")
        }
    }
}
