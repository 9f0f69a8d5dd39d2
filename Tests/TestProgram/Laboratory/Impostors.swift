internal import Corpora
internal import Crypto

/// Chains of people who are not the host.
enum Impostors {
    /// From a root that some machine was made to trust: an appliance that reads along, a test system's root.
    static func rogues(_ landscape: Landscape) throws -> [ChainRecordingWriter.Entry] {
        var numbers = landscape.numbers("rogues")
        let roots = try [("Glass Appliances", "Glass Inspection"), ("Harbour Works", "Harbour Test Root")].map { name in
            try Signer(name.0, name.1, &numbers)
        }
        let certificates = try roots.map { root in
            try root.certify(
                root,
                from: Landscape.time(day: -100),
                to: Landscape.time(day: 3650),
                pathLength: nil,
                serial: numbers.bytes(16)
            )
        }
        return try (0..<Landscape.rogues).map { index in
            let root = index % roots.count
            return try entry(.rogue, signer: roots[root], authorities: [certificates[root]], landscape, &numbers)
        }
    }

    /// Impostors' chains from a trusted organisation that the host never used, or from organisation 0 if it used them all.
    static func misissued(
        _ landscape: Landscape,
        _ organisations: [Organisation],
        _ lives: [HostLife]
    ) throws -> [ChainRecordingWriter.Entry] {
        var numbers = landscape.numbers("misissued")
        return try (0..<Landscape.misissued).map { _ in
            let host = numbers.pick(0..<lives.count)
            let used = Set(lives[host].periods.map(\.organisation))
            // A host that used every candidate gets organisation 0.
            let stranger = [1, 0, 3].first { !used.contains($0) } ?? 0
            let day = numbers.pick(Landscape.ownRootDay..<Landscape.days - 30)
            let intermediate = organisations[stranger].issuing(on: day, &numbers)
            return try entry(
                .misissued,
                signer: intermediate.signer,
                authorities: organisations[stranger].authorities(above: intermediate, on: day),
                landscape,
                &numbers,
                at: (host, day)
            )
        }
    }

    private static func entry(
        _ label: ChainLabel,
        signer: Signer,
        authorities: [[UInt8]],
        _ landscape: Landscape,
        _ numbers: inout SeededNumbers,
        at place: (host: Int, day: Int)? = nil
    ) throws -> ChainRecordingWriter.Entry {
        let host = place?.host ?? numbers.pick(0..<landscape.hosts)
        let day = place?.day ?? numbers.pick(30..<Landscape.days - 30)
        let key = try P256.Signing.PrivateKey(rawRepresentation: numbers.bytes(32))
        let leaf = try signer.certify(
            host: HostLife.name(host),
            key.publicKey,
            from: Landscape.time(day: day),
            to: Landscape.time(day: day + 90),
            serial: numbers.bytes(16)
        )
        let second = Int64(numbers.pick(0..<Int(Landscape.day)))
        var entry = ChainRecordingWriter.Entry(
            first: Landscape.time(day: day, second: second),
            last: Landscape.time(day: day + numbers.pick(0..<10), second: second),
            endpoint: RecordedEndpoint(host: HostLife.name(host), port: 443)
        )
        entry.validated = [leaf] + authorities
        entry.label = label
        return entry
    }
}
