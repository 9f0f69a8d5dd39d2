public import SPKIPins
internal import WireFormat

/// Certificate chains that servers were seen with, over time: what a study of pins runs on.
///
/// Facts suffice: times, names, hashes. The format is drawn in this target's documentation. Texts and chains that repeat are
/// held once; the bytes of certificates are not held at all.
public struct ChainRecording: Sendable {
    /// What the recording calls itself.
    public let name: String
    /// The recording's source, in one line; empty = unknown.
    public let origin: String
    /// The meaning of its times, in one line; empty = unknown.
    public let timeMeaning: String
    /// The servers, in the order of their names.
    public let endpoints: [RecordedEndpoint]
    /// Every certificate once, in the order of the file.
    public let certificates: [RecordedCertificate]
    /// What was seen, in the order of ``ChainObservation/first``, then ``ChainObservation/last``, then the file; each once.
    public let observations: [ChainObservation]
    /// Lines that say what another one says, apart from who saw it, as where one file was imported twice.
    public let repeatedObservations: Int
    /// How many certificates had their bytes in the recording, and both hashes of them were right.
    public let verifiedCertificates: Int

    let texts: PackedTexts
    let chains: [[Int32]]
    let keyLists: [[Pin]]
    let leaks: [Int64]
}

/// One server: a name and a port.
public struct RecordedEndpoint: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// In lower case.
    public let host: String
    /// From 1.
    public let port: Int

    /// Names a server.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The host, with the port if it is not 443. An IPv6 address stands in brackets. `init(parsing:)` reads this text.
    public var description: String {
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// By the bytes of the host, then by port.
    public static func < (one: Self, other: Self) -> Bool {
        if one.host == other.host { return one.port < other.port }
        return one.host.utf8.lexicographicallyPrecedes(other.host.utf8)
    }
}

/// What is known of a certificate; times in seconds since 1970.
public struct RecordedCertificate: Sendable {
    /// SHA-256 of the certificate.
    public let fingerprint: CertificateFingerprint
    /// SHA-256 of its key (RFC 7469 2.4).
    public let key: Pin
    /// The first second of its validity.
    public let notBefore: Int64
    /// The last second of its validity.
    public let notAfter: Int64
    /// Whether it may sign certificates.
    public let isAuthority: Bool
    /// Size of the key; 0 when it is not known.
    public let keyBits: Int32
    let keyType: Int32
    let subject: Int32
    let issuer: Int32
}

/// SHA-256 of a certificate's DER.
public struct CertificateFingerprint: Hashable, Sendable {
    let words: SIMD4<UInt64>

    /// Half of a digest is plenty to tell certificates apart in a table; equality compares all of it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.x)
        hasher.combine(words.y)
    }

    /// The digest as a pin; used by pins of certificates instead of keys.
    package var digest: Pin? {
        var bytes: [UInt8] = []
        for index in 0..<4 { bytes.append(littleEndian: words[index]) }
        return Pin(digest: bytes.span)
    }
}

/// What a chain is, as far as the recording's maker knows.
public enum ChainLabel: String, CaseIterable, Codable, Sendable {
    /// The server's own.
    case genuine
    /// An impostor's, below a root that some machine was made to trust.
    case rogue
    /// An impostor's, from a trusted authority that should not have issued it.
    case misissued = "mis-issued"
    /// From an authority that lost its trust.
    case distrusted
}

/// A chain that a server was seen with; times in seconds since 1970.
public struct ChainObservation: Sendable {
    /// When the chain was first seen.
    public let first: Int64
    /// When the same chain was last seen; not before `first`.
    public let last: Int64
    /// Index into ``ChainRecording/endpoints``.
    public let endpoint: Int32
    /// Whose chain it is.
    public let label: ChainLabel
    let validated: Int32
    let presented: Int32
    let nextKeys: Int32
    /// Index into the recording's leaks; -1 for none.
    let leak: Int32
    let source: Int32
    let note: Int32
}

extension ChainRecording {
    /// The chain as validation built it, leaf to anchor, as indices into ``certificates``; `nil` when it did not validate.
    public func validatedChain(of observation: ChainObservation) -> [Int32]? {
        observation.validated < 0 ? nil : chains[Int(observation.validated)]
    }

    /// The chain as the server sent it, as indices into ``certificates``; `nil` when that was not recorded.
    public func presentedChain(of observation: ChainObservation) -> [Int32]? {
        observation.presented < 0 ? nil : chains[Int(observation.presented)]
    }

    /// A number that two observations share exactly when they have the same validated chain; -1 without one.
    package func chainNumber(of observation: ChainObservation) -> Int { Int(observation.validated) }

    /// The keys that the server's operator held in reserve when the chain was seen; empty = unknown.
    public func nextKeys(of observation: ChainObservation) -> [Pin] {
        observation.nextKeys < 0 ? [] : keyLists[Int(observation.nextKeys)]
    }

    /// The time at which the leaf's key of the endpoint's previous chain leaked, in seconds since 1970; `nil` = no known
    /// leak.
    public func previousKeyLeak(of observation: ChainObservation) -> Int64? {
        observation.leak < 0 ? nil : leaks[Int(observation.leak)]
    }

    /// The observer of the chain; empty = unknown.
    public func source(of observation: ChainObservation) -> String { text(observation.source) }

    /// How the note of a chain begins whose signatures the recorder could not verify.
    package static let notJudged = "not judged: "

    /// Whether a chain has no validated one because its signatures could not be verified, which is not a refusal.
    package func isNotJudged(_ observation: ChainObservation) -> Bool {
        observation.validated < 0 && note(of: observation).hasPrefix(Self.notJudged)
    }

    /// A remark, or the empty string.
    public func note(of observation: ChainObservation) -> String { text(observation.note) }

    /// Whom the certificate is for (RFC 4514).
    public func subject(of certificate: RecordedCertificate) -> String { text(certificate.subject) }

    /// Who signed the certificate (RFC 4514).
    public func issuer(of certificate: RecordedCertificate) -> String { text(certificate.issuer) }

    /// `RSA`, `EC` and the like; empty when it is not known.
    public func keyType(of certificate: RecordedCertificate) -> String { text(certificate.keyType) }

    /// A number that two certificates share exactly when their subjects are the same text.
    package func subjectNumber(of certificate: RecordedCertificate) -> Int { Int(certificate.subject) }

    /// The observations that began at or before `time`. Of `endpoint`, only the first `captures` genuine, validated chains
    /// are kept.
    package func knownAt(_ time: Int64, endpoint: RecordedEndpoint, captures: Int) -> ChainRecording {
        var left = captures
        let known = observations.filter { observation in
            guard observation.first <= time else { return false }
            guard endpoints[Int(observation.endpoint)] == endpoint, observation.label == .genuine,
                observation.validated >= 0
            else { return true }
            left -= 1
            return left >= 0
        }
        return ChainRecording(
            name: name,
            origin: origin,
            timeMeaning: timeMeaning,
            endpoints: endpoints,
            certificates: certificates,
            observations: known,
            repeatedObservations: repeatedObservations,
            verifiedCertificates: verifiedCertificates,
            texts: texts,
            chains: chains,
            keyLists: keyLists,
            leaks: leaks
        )
    }

    private func text(_ number: Int32) -> String { texts[number] }
}
