internal import SPKIPins
internal import WireFormat

/// Reads `observations.ndjson`.
struct ObservationReader {
    let path: String
    private var pool: CertificatePool
    private var observations: [ChainObservation] = []
    private var endpoints: [RecordedEndpoint] = []
    private var hosts = TextPool()
    private var endpointNumbers = NumberTable()
    /// The host and the port of each endpoint in one number.
    private var endpointKeys: [UInt64] = []
    private var chains: [[Int32]] = []
    private var chainNumbers = NumberTable()
    private var chain: [Int32] = []
    private var keyLists: [[Pin]] = []
    private var leaks: [Int64] = []

    init(path: String, pool: consuming CertificatePool) {
        self.path = path
        self.pool = pool
    }

    mutating func read() throws(RecordingError) {
        try LineFeed(path: path).forEach { (line, number) throws(RecordingError) in
            var field: Field?
            do throws(JSONLineError) {
                try add(line, &field)
            } catch {
                throw RecordingError(path: path, line: number, problem: error.problem(field?.rawValue ?? ""))
            }
        }
        guard !observations.isEmpty else {
            throw RecordingError(path: path, line: nil, problem: "holds no observation: is the recording complete?")
        }
    }

    /// What was read, in order.
    consuming func recording(name: String, origin: String, timeMeaning: String, verified: Int) -> ChainRecording {
        let order = endpoints.indices.sorted { endpoints[$0] < endpoints[$1] }
        var places = [Int32](repeating: 0, count: order.count)
        for (place, number) in order.enumerated() { places[number] = Int32(place) }
        // Of what is compared alone: an observation is three times as large.
        let times = observations.indices.map { (observations[$0].first, observations[$0].last, $0) }.sorted(by: <)
        let kept = withoutRepetitions(times)
        return ChainRecording(
            name: name,
            origin: origin,
            timeMeaning: timeMeaning,
            endpoints: order.map { endpoints[$0] },
            certificates: pool.certificates,
            observations: kept.map { observations[$0].moved(to: places[Int(observations[$0].endpoint)]) },
            repeatedObservations: times.count - kept.count,
            verifiedCertificates: verified,
            texts: pool.texts.texts,
            chains: chains,
            keyLists: keyLists,
            leaks: leaks
        )
    }

    /// What an observation says besides its time, its source and its note.
    private struct Content: Hashable {
        let endpoint, validated, presented: Int32
        let label: ChainLabel
        let nextKeys: [Pin]
        let leak: Int64?
    }

    /// The numbers of the observations without those that repeat another one.
    ///
    /// An interval between two sights of one host would be 0 otherwise, and the study's dates would look better than they are.
    private func withoutRepetitions(_ times: [(Int64, Int64, Int)]) -> [Int] {
        var kept: [Int] = []
        kept.reserveCapacity(times.count)
        var seen: Set<Content> = []
        for (place, (first, last, number)) in times.enumerated() {
            func isOfTheSameTime(_ other: Int) -> Bool {
                times.indices.contains(other) && times[other].0 == first && times[other].1 == last
            }
            let isFirst = !isOfTheSameTime(place - 1)
            if isFirst, !seen.isEmpty { seen.removeAll(keepingCapacity: true) }
            // Most observations are alone with their time.
            if !isFirst || isOfTheSameTime(place + 1) {
                let observation = observations[number]
                let content = Content(
                    endpoint: observation.endpoint,
                    validated: observation.validated,
                    presented: observation.presented,
                    label: observation.label,
                    nextKeys: observation.nextKeys < 0 ? [] : keyLists[Int(observation.nextKeys)],
                    leak: observation.leak < 0 ? nil : leaks[Int(observation.leak)]
                )
                guard seen.insert(content).inserted else { continue }
            }
            kept.append(number)
        }
        return kept
    }

    // MARK: - One line

    /// In the order of the lines that we write.
    private enum Field: String, CaseIterable {
        case chain, first, host, label, last
        case nextKeys = "next_keys"
        case note, port, presented
        case leak = "previous_key_leaked"
        case source, time
    }

    private let fields = JSONFields<Field>()
    private let labels = JSONFields<ChainLabel>()

    private mutating func add(_ line: Span<UInt8>, _ field: inout Field?) throws(JSONLineError) {
        var json = JSONScanner()
        var seen: UInt32 = 0
        var (first, last, host, port) = (Int64?.none, Int64?.none, Int32?.none, 443)
        var (validated, presented, nextKeys, leak) = (Int32(-1), Int32(-1), Int32(-1), Int64?.none)
        var (source, note, label) = (Int32(-1), Int32(-1), ChainLabel?.none)
        var isMore = try json.openObject(line)
        while isMore {
            let member = fields.member(try json.memberName(line), seen: &seen)
            field = member.field
            guard !member.isRepeated else { throw .repeatedName }
            switch field {
            case .time:
                first = try CertificatePool.time(&json, line)
                last = first
            case .first: first = try CertificatePool.time(&json, line)
            case .last: last = try CertificatePool.time(&json, line)
            case .host: host = try self.host(&json, line)
            case .port:
                port = try json.integer(line)
                guard (1...65_535).contains(port) else { throw .wrongType(expected: "a port from 1 to 65535") }
            case .chain: validated = try chain(&json, line)
            case .presented: presented = try chain(&json, line)
            case .nextKeys: nextKeys = try keys(&json, line)
            case .leak: leak = json.null(line) ? nil : try CertificatePool.time(&json, line)
            case .label:
                label = labels.field(try json.name(line))
                guard label != nil else { throw .wrongType(expected: Self.labelNames) }
            case .source: source = json.null(line) ? -1 : try pool.texts.number(&json, line)
            case .note: note = json.null(line) ? -1 : try pool.texts.number(&json, line)
            // An unknown name could be any text, so it is in no error.
            case nil: try json.skipUnknown(line)
            }
            isMore = try json.nextMember(line)
        }
        field = nil
        guard let first, let last else { throw .missing("time (or first and last)") }
        guard let host else { throw .missing("host") }
        guard validated >= 0 || presented >= 0 else { throw .missing("chain (or presented)") }
        guard first <= last else {
            field = .last
            throw .wrongType(expected: "a time that is not before 'first'")
        }
        guard leak ?? first <= first else {
            field = .leak
            throw .wrongType(expected: "a time that is not after 'first'")
        }
        guard observations.count < ChainRecording.Limits.observations else {
            throw .tooMany("observations", ChainRecording.Limits.observations)
        }
        observations.append(
            ChainObservation(
                first: first,
                last: last,
                endpoint: endpoint(host: host, port: port),
                label: label ?? .genuine,
                validated: validated,
                presented: presented,
                nextKeys: nextKeys,
                leak: number(ofLeak: leak),
                source: source,
                note: note
            )
        )
    }

    private static let labelNames = "one of " + ChainLabel.allCases.map(\.rawValue).joined(separator: ", ")

    /// The number of a host's name among the hosts.
    private mutating func host(_ json: inout JSONScanner, _ line: Span<UInt8>) throws(JSONLineError) -> Int32 {
        let known = hosts.texts.count
        let number = try hosts.number(&json, line)
        // A known one was looked at when it was new.
        guard number < known || RecordedEndpoint.isPlain(host: hosts.texts[number]) else {
            throw .wrongType(expected: "a name in lower case (A-labels) or an address, of at most 253 characters")
        }
        return number
    }

    private mutating func endpoint(host: Int32, port: Int) -> Int32 {
        let key = UInt64(host) << 16 | UInt64(port)
        let hash = endpointNumbers.adding(key, to: 0)
        if let known = endpointNumbers.number(hash: hash, where: { endpointKeys[Int($0)] == key }) { return known }
        let number = Int32(endpoints.count)
        endpoints.append(RecordedEndpoint(host: hosts.texts[host], port: port))
        endpointKeys.append(key)
        endpointNumbers.insert(number, hash: hash)
        return number
    }

    /// The number of a chain, or -1 for `null`.
    private mutating func chain(_ json: inout JSONScanner, _ line: Span<UInt8>) throws(JSONLineError) -> Int32 {
        if json.null(line) { return -1 }
        chain.removeAll(keepingCapacity: true)
        var hash: UInt64 = 0
        var isMore = try json.openList(line)
        while isMore {
            guard let number = CertificatePool.fingerprint(&json, line).flatMap({ pool.number(of: $0) }) else {
                throw .wrongType(expected: "SHA-256 of certificates that are in certificates.ndjson")
            }
            chain.append(number)
            hash = chainNumbers.adding(UInt64(number), to: hash)
            guard chain.count <= ChainRecording.Limits.chain else { break }
            isMore = try json.nextOfList(line)
        }
        guard (1...ChainRecording.Limits.chain).contains(chain.count) else {
            throw .wrongType(expected: "1 to \(ChainRecording.Limits.chain) certificates")
        }
        if let known = chainNumbers.number(hash: hash, where: { chains[Int($0)] == chain }) { return known }
        let number = Int32(chains.count)
        chains.append([Int32](chain))
        chainNumbers.insert(number, hash: hash)
        return number
    }

    private mutating func number(ofLeak time: Int64?) -> Int32 {
        guard let time else { return -1 }
        leaks.append(time)
        return Int32(leaks.count - 1)
    }

    private mutating func keys(_ json: inout JSONScanner, _ line: Span<UInt8>) throws(JSONLineError) -> Int32 {
        if json.null(line) { return -1 }
        var keys: [Pin] = []
        var isMore = try json.openList(line)
        while isMore {
            guard let key = pool.pin(&json, line) else { throw .wrongType(expected: "base64 of 32 bytes each") }
            guard keys.count < ChainRecording.Limits.nextKeys else {
                throw .tooMany("keys", ChainRecording.Limits.nextKeys)
            }
            keys.append(key)
            isMore = try json.nextOfList(line)
        }
        if keys.isEmpty { return -1 }
        if keyLists.last != keys { keyLists.append(keys) }
        return Int32(keyLists.count - 1)
    }
}

extension ChainObservation {
    /// The same of another endpoint.
    fileprivate func moved(to endpoint: Int32) -> Self {
        Self(
            first: first,
            last: last,
            endpoint: endpoint,
            label: label,
            validated: validated,
            presented: presented,
            nextKeys: nextKeys,
            leak: leak,
            source: source,
            note: note
        )
    }
}
