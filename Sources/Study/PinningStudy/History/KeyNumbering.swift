internal import Corpora
internal import SPKIPins

/// Numbers for keys, chains and organisations while a history is arranged.
struct KeyNumbering {
    private(set) var keys: [Pin] = []
    private(set) var keyNumbers: [Pin: Int32] = [:]
    private(set) var chains: [ChainHistory.Chain] = []
    private(set) var chainKeys: [Int32] = []
    private(set) var organisations: [String] = []
    private var organisationNumbers: [String: Int32] = [:]
    /// By subject, because many certificates share one.
    private var organisationOfSubject: [Int32] = []
    private var organisationOfKey: [Int32] = []
    private let keyOfCertificate: [Int32]

    init(_ recording: ChainRecording) {
        var numbers: [Int32] = []
        numbers.reserveCapacity(recording.certificates.count)
        keyNumbers.reserveCapacity(recording.certificates.count)
        for certificate in recording.certificates {
            let number = keyNumbers[certificate.key] ?? Int32(keys.count)
            if number == keys.count {
                keys.append(certificate.key)
                keyNumbers[certificate.key] = number
            }
            numbers.append(number)
        }
        keyOfCertificate = numbers
        organisationOfKey = [Int32](repeating: -1, count: keys.count)
    }

    /// Learns the chain of an observation, which must be validated.
    mutating func learn(_ recording: ChainRecording, _ observation: ChainObservation) {
        let number = recording.chainNumber(of: observation)
        while chains.count <= number { chains.append(ChainHistory.Chain()) }
        guard chains[number].leaf < 0, let certificates = recording.validatedChain(of: observation) else { return }
        var chain = ChainHistory.Chain(start: Int32(chainKeys.count), count: Int32(certificates.count))
        for (place, certificate) in certificates.enumerated() {
            let key = keyOfCertificate[Int(certificate)]
            chainKeys.append(key)
            chain.root = key
            if place == 0 { (chain.leaf, chain.leafKey, chain.issuer) = (certificate, key, key) }
            if place == 0 { continue }
            let organisation = learnOrganisation(recording, certificate)
            if place == 1 { (chain.issuer, chain.organisation) = (key, organisation) }
            // Of cross-signed certificates of one key, the first that was seen tells whose it is.
            if organisationOfKey[Int(key)] < 0 { organisationOfKey[Int(key)] = organisation }
        }
        chains[number] = chain
    }

    /// The numbers of keys that may be in no certificate.
    mutating func numbers(of pins: [Pin]) -> [Int32] {
        pins.map { pin in
            if let known = keyNumbers[pin] { return known }
            let number = Int32(keys.count)
            keys.append(pin)
            keyNumbers[pin] = number
            return number
        }
    }

    /// Whose key it is, or -1 when it is no authority's.
    func organisation(ofKey key: Int32) -> Int32 { organisationOfKey[Int(key)] }

    private mutating func learnOrganisation(_ recording: ChainRecording, _ certificate: Int32) -> Int32 {
        let fact = recording.certificates[Int(certificate)]
        let subject = recording.subjectNumber(of: fact)
        // Without a subject there is no number, and the organisation has no name.
        guard subject >= 0 else { return number(ofOrganisation: "") }
        while organisationOfSubject.count <= subject { organisationOfSubject.append(-1) }
        if organisationOfSubject[subject] >= 0 { return organisationOfSubject[subject] }
        organisationOfSubject[subject] = number(
            ofOrganisation: Organisation.name(inSubject: recording.subject(of: fact))
        )
        return organisationOfSubject[subject]
    }

    private mutating func number(ofOrganisation name: String) -> Int32 {
        let number = organisationNumbers[name] ?? Int32(organisations.count)
        if number == organisations.count {
            organisations.append(name)
            organisationNumbers[name] = number
        }
        return number
    }
}

/// The organisation in a distinguished name.
enum Organisation {
    /// The value of the first `O=` of a name written as RFC 4514 has it; the whole name when it has none.
    ///
    /// Two spellings are two organisations: `Google Trust Services` and `Google Trust Services LLC` are not merged, because
    /// nothing in a certificate says that they are one.
    static func name(inSubject subject: String) -> String {
        var attribute: [Character] = []
        var isEscaped = false
        var attributes: [[Character]] = []
        for character in subject {
            if !isEscaped, character == "," || character == "+" {
                attributes.append(attribute)
                attribute = []
                continue
            }
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { attribute.append(character) }
        }
        attributes.append(attribute)
        let organisation = attributes.first { $0.starts(with: "O=") }
        return organisation.map { String($0.dropFirst(2)) } ?? subject
    }
}
