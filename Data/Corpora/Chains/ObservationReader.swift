internal import SPKIPins

/// Reads `observations.ndjson`.
struct ObservationReader {
    let path: String
    private var pool: CertificatePool
    private var observations: [ChainObservation] = []
    private var endpoints: [RecordedEndpoint] = []
    private var endpointNumbers: [RecordedEndpoint: Int32] = [:]
    private var chains: [[Int32]] = []
    private var chainNumbers: [[Int32]: Int32] = [:]
    private var keyLists: [[Pin]] = []
    private var leaks: [Int64] = []

    init(path: String, pool: consuming CertificatePool) {
        self.path = path
        self.pool = pool
    }

    mutating func read() throws(RecordingError) {
        try LineFeed(path: path).forEach { (line, number) throws(RecordingError) in
            var field = ""
            do throws(JSONLineError) {
                try add(line, &field)
            } catch {
                throw RecordingError(path: path, line: number, problem: error.problem(field))
            }
        }
        guard !observations.isEmpty else {
            throw RecordingError(path: path, line: nil, problem: "holds no observation: is the recording complete?")
        }
    }

    /// What was read, in order.
    consuming func recording(name: String, origin: String, timeMeaning: String) -> ChainRecording {
        let order = endpoints.indices.sorted { endpoints[$0] < endpoints[$1] }
        var places = [Int32](repeating: 0, count: order.count)
        for (place, number) in order.enumerated() { places[number] = Int32(place) }
        let sorted = observations.enumerated().sorted { one, other in
            (one.element.first, one.element.last, one.offset) < (other.element.first, other.element.last, other.offset)
        }
        return ChainRecording(
            name: name,
            origin: origin,
            timeMeaning: timeMeaning,
            endpoints: order.map { endpoints[$0] },
            certificates: pool.certificates,
            observations: sorted.map { $0.element.moved(to: places[Int($0.element.endpoint)]) },
            verifiedCertificates: pool.verified,
            texts: pool.texts,
            chains: chains,
            keyLists: keyLists,
            leaks: leaks
        )
    }

    // MARK: - One line

    private static let fields = [
        "chain", "host", "first", "last", "time", "port", "presented", "label", "next_keys", "previous_key_leaked",
        "source",
        "note",
    ]

    private mutating func add(_ line: Span<UInt8>, _ field: inout String) throws(JSONLineError) {
        var json = JSONLine()
        var (first, last, host, port) = (Int64?.none, Int64?.none, String?.none, 443)
        var (validated, presented, nextKeys, leak) = (Int32(-1), Int32(-1), Int32(-1), Int64?.none)
        var (source, note, label) = (Int32(-1), Int32(-1), ChainLabel?.none)
        try json.open(line)
        while let name = try json.nextName(line) {
            field = JSONLine.name(line, name, among: Self.fields)
            switch field {
            case "time":
                first = try CertificatePool.time(&json, line)
                last = first
            case "first": first = try CertificatePool.time(&json, line)
            case "last": last = try CertificatePool.time(&json, line)
            case "host": host = try Self.host(json.text(line))
            case "port":
                port = try json.integer(line)
                guard (1...65_535).contains(port) else { throw .wrongType(expected: "a port from 1 to 65535") }
            case "chain": validated = try chain(&json, line)
            case "presented": presented = try chain(&json, line)
            case "next_keys": nextKeys = try keys(&json, line)
            case "previous_key_leaked": leak = json.null(line) ? nil : try CertificatePool.time(&json, line)
            case "label":
                label = ChainLabel(rawValue: try json.text(line))
                guard label != nil else { throw .wrongType(expected: Self.labels) }
            case "source": source = json.null(line) ? -1 : pool.number(of: try json.text(line))
            case "note": note = json.null(line) ? -1 : pool.number(of: try json.text(line))
            default:
                // An unknown name could be any text, so it is in no error.
                try json.skipValue(line)
            }
        }
        field = ""
        guard let first, let last else { throw .missing("time (or first and last)") }
        guard let host else { throw .missing("host") }
        guard validated >= 0 || presented >= 0 else { throw .missing("chain (or presented)") }
        guard first <= last else {
            field = "last"
            throw .wrongType(expected: "a time that is not before 'first'")
        }
        guard leak ?? first <= first else {
            field = "previous_key_leaked"
            throw .wrongType(expected: "a time that is not after 'first'")
        }
        guard observations.count < ChainRecording.Limits.observations else {
            throw .tooMany("observations", ChainRecording.Limits.observations)
        }
        observations.append(
            ChainObservation(
                first: first,
                last: last,
                endpoint: endpoint(RecordedEndpoint(host: host, port: port)),
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

    private static let labels = "one of " + ChainLabel.allCases.map(\.rawValue).joined(separator: ", ")

    private static func host(_ text: String) throws(JSONLineError) -> String {
        guard RecordedEndpoint.isPlain(host: text) else {
            throw .wrongType(expected: "a name in lower case (A-labels) or an address, of at most 253 characters")
        }
        return text
    }

    private mutating func endpoint(_ endpoint: RecordedEndpoint) -> Int32 {
        if let known = endpointNumbers[endpoint] { return known }
        let number = Int32(endpoints.count)
        endpoints.append(endpoint)
        endpointNumbers[endpoint] = number
        return number
    }

    /// The number of a chain, or -1 for `null`.
    private mutating func chain(_ json: inout JSONLine, _ line: Span<UInt8>) throws(JSONLineError) -> Int32 {
        if json.null(line) { return -1 }
        var chain: [Int32] = []
        try json.list(line) { (range) throws(JSONLineError) in
            guard let number = pool.number(line, range) else {
                throw .wrongType(expected: "SHA-256 of certificates that are in certificates.ndjson")
            }
            chain.append(number)
        }
        guard (1...ChainRecording.Limits.chain).contains(chain.count) else {
            throw .wrongType(expected: "1 to \(ChainRecording.Limits.chain) certificates")
        }
        if let known = chainNumbers[chain] { return known }
        let number = Int32(chains.count)
        chains.append(chain)
        chainNumbers[chain] = number
        return number
    }

    private mutating func number(ofLeak time: Int64?) -> Int32 {
        guard let time else { return -1 }
        leaks.append(time)
        return Int32(leaks.count - 1)
    }

    private mutating func keys(_ json: inout JSONLine, _ line: Span<UInt8>) throws(JSONLineError) -> Int32 {
        if json.null(line) { return -1 }
        var keys: [Pin] = []
        try json.list(line) { (range) throws(JSONLineError) in
            guard let key = CertificatePool.pin(line, range) else {
                throw .wrongType(expected: "base64 of 32 bytes each")
            }
            keys.append(key)
        }
        guard keys.count <= ChainRecording.Limits.nextKeys else {
            throw .tooMany("keys", ChainRecording.Limits.nextKeys)
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
