internal import Corpora
package import Foundation
internal import TestSupport
internal import WireFormat

/// Recordings of generated chains, the same for the same seed; a smaller one is the beginning of a larger one.
///
/// Hosts renew every 31, 60 or 265 days over three years, most with a new key, and now and then from another authority.
/// Leaves have about 1,330 bytes, which is the median of the recording `public-sites`. They have no valid signature, because studies do not check it.
package struct ChainCorpus {
    /// How large a recording is.
    package struct Size {
        /// One for each leaf.
        package fileprivate(set) var captures = 0
        /// Servers.
        package fileprivate(set) var hosts = 0
        /// Leaves and authorities'.
        package fileprivate(set) var certificates = 0
        /// Of all certificates together.
        package fileprivate(set) var derBytes = 0
    }

    private struct Authority {
        let name: [UInt8]
        let chain: [[UInt8]]
    }

    private static let firstDay = 20_454
    private static let days = 1096
    private static let lifetimes = [47, 90, 90, 398, 398]

    private let shape: KeyShape
    private var generator: SeededGenerator
    private var size = Size()

    /// Writes a recording to a new folder.
    ///
    /// - Parameters:
    ///   - leaves: in all.
    ///   - perHost: the number of leaves of each host, at equal distances; `nil` = by the lifetime of its certificates.
    package static func write(leaves: Int, perHost: Int? = nil, seed: UInt64, to folder: URL) throws -> Size {
        var corpus = ChainCorpus(shape: .p256, generator: SeededGenerator(seed: seed))
        try corpus.write(leaves, perHost, folder)
        return corpus.size
    }

    /// A leaf, its issuer and their root, all with keys of one kind.
    package static func chain(of shape: KeyShape, seed: UInt64) -> [[UInt8]] {
        var corpus = ChainCorpus(shape: shape, generator: SeededGenerator(seed: seed))
        let authority = corpus.makeOrganisation(0)[0]
        let (name, days) = (name(nil, "host.corpus.example"), firstDay..<firstDay + 90)
        let key = corpus.generator.bytes(shape.keyBytes)
        return [corpus.certificate(name, authority.name, days, key, padding: 968)] + authority.chain
    }

    private mutating func write(_ leaves: Int, _ perHost: Int?, _ folder: URL) throws {
        var writer = try ChainRecordingWriter(folder: folder)
        let authorities = (0..<4).flatMap { organisation in makeOrganisation(organisation) }
        while size.captures < leaves {
            let host = "host\(size.hosts).corpus.example"
            let lifetime = Self.lifetimes[size.hosts % Self.lifetimes.count]
            let step = perHost.map { Self.days * 86_400 / $0 } ?? lifetime * 2 / 3 * 86_400
            var authority = authorities[pick(authorities.count)]
            var key = generator.bytes(shape.keyBytes)
            var second = pick(step)
            while second < Self.days * 86_400, size.captures < leaves {
                if pick(12) == 0 { authority = authorities[pick(authorities.count)] }
                if pick(5) > 1 { key = generator.bytes(shape.keyBytes) }
                let day = Self.firstDay + second / 86_400
                let leaf = certificate(Self.name(nil, host), authority.name, day..<day + lifetime, key, padding: 968)
                let first = Int64(Self.firstDay * 86_400 + second)
                var entry = ChainRecordingWriter.Entry(
                    first: first,
                    last: first + Int64(step - 1),
                    endpoint: RecordedEndpoint(host: host, port: 443)
                )
                entry.validated = [leaf] + authority.chain
                try writer.add(entry)
                size.captures += 1
                second += step
            }
            size.hosts += 1
        }
        try writer.commit()
    }

    /// The issuing authorities of an organisation below its root.
    private mutating func makeOrganisation(_ number: Int) -> [Authority] {
        let owner = "Trust \(number)"
        let (rootName, days) = (Self.name(owner, "Root"), Self.firstDay - 1000..<Self.firstDay + 8000)
        let root = certificate(rootName, rootName, days, generator.bytes(shape.keyBytes), padding: 400)
        return (0..<3).map { index in
            let name = Self.name(owner, "Issuing \(index)")
            return Authority(
                name: name,
                chain: [certificate(name, rootName, days, generator.bytes(shape.keyBytes), padding: 400), root]
            )
        }
    }

    private mutating func certificate(
        _ subject: [UInt8],
        _ issuer: [UInt8],
        _ days: Range<Int>,
        _ key: [UInt8],
        padding: Int
    ) -> [UInt8] {
        var parts = HandmadeCertificate()
        parts[.serial] = der(0x02, [0x40] + generator.bytes(15))
        parts[.subject] = subject
        parts[.issuer] = issuer
        parts[.notBefore] = Self.time(days.lowerBound)
        parts[.notAfter] = Self.time(days.upperBound)
        shape.put(key, into: &parts)
        // An unknown extension, where real leaves have key identifiers and certificate timestamps.
        let unknown = der(0x30, der(0x06, [0x2A, 3, 4]), der(0x04, generator.bytes(padding)))
        parts[.afterKey] = der(0xA3, der(0x30, unknown))
        parts[.signature] = der(0x03, [0], generator.bytes(shape.signatureBytes))
        size.certificates += 1
        size.derBytes += parts.bytes.count
        return parts.bytes
    }

    private static func name(_ organisation: String?, _ common: String) -> [UInt8] {
        func part(_ type: UInt8, _ text: String) -> [UInt8] {
            der(0x31, der(0x30, der(0x06, [0x55, 4, type]), der(0x0C, [UInt8](text.utf8))))
        }
        return der(0x30, organisation.map { part(10, $0) } ?? [], part(3, common))
    }

    /// Midnight of a day since 1970, before 2050.
    private static func time(_ day: Int) -> [UInt8] {
        let text = Timestamp.text(unixSeconds: Int64(day) * 86_400).utf8.dropFirst(2)
        return der(0x17, text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "T") })
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}
