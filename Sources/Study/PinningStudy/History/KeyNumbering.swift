internal import Corpora
internal import SPKIPins

/// Assigns numbers to keys, chains and organisations while a ``ChainHistory`` is built.
struct KeyNumbering {
    private(set) var keys: [Pin] = []
    private(set) var keyNumbers: [Pin: Int32] = [:]
    private(set) var chains: [ChainHistory.Chain] = []
    private(set) var chainKeys: [Int32] = []
    private(set) var organisations: [String] = []
    private var organisationNumbers: [String: Int32] = [:]
    /// Organisation number by subject number, because many certificates share a subject; -1 = not looked up yet.
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

    /// Stores the chain of an observation. An observation without a validated chain adds nothing.
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
            // A cross-signed key has several certificates; the first one seen names its organisation.
            if organisationOfKey[Int(key)] < 0 { organisationOfKey[Int(key)] = organisation }
        }
        chains[number] = chain
    }

    /// The numbers of `pins`. A key that no certificate contains gets a new number.
    mutating func numbers(of pins: [Pin]) -> [Int32] {
        pins.map { pin in
            if let known = keyNumbers[pin] { return known }
            let number = Int32(keys.count)
            keys.append(pin)
            keyNumbers[pin] = number
            return number
        }
    }

    /// The organisation that owns an authority's key, or -1 for a key that never appeared above a leaf.
    func organisation(ofKey key: Int32) -> Int32 { organisationOfKey[Int(key)] }

    private mutating func learnOrganisation(_ recording: ChainRecording, _ certificate: Int32) -> Int32 {
        let fact = recording.certificates[Int(certificate)]
        let subject = recording.subjectNumber(of: fact)
        // A certificate without a subject belongs to the organisation with the empty name.
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
    /// The value of the first `O=` of a name in the form of RFC 4514; the whole name if it has no `O=`.
    ///
    /// Two spellings are two organisations: `Google Trust Services` and `Google Trust Services LLC` are not merged,
    /// because nothing in a certificate says that they are one.
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
