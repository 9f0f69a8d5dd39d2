internal import Corpora
internal import Crypto
internal import SPKIPins
internal import WireFormat

/// The certificates of one host, from before the recording to its end.
struct HostLife {
    /// A chain, and the days on which it was served.
    struct Period {
        let days: Range<Int>
        let leaf: [UInt8]
        let organisation: Int
        let intermediate: Organisation.Intermediate
        let nextKey: Pin?
        let note: String?
        /// When the key before this one was stolen.
        let leak: Int64?
    }

    let host: String
    let lifetime: Int
    private(set) var periods: [Period] = []
    private let organisations: [Organisation]
    private var numbers: SeededNumbers

    /// - Parameter leakDay: when a thief copies the key; `nil` for a host that keeps it.
    init(_ index: Int, _ landscape: Landscape, _ organisations: [Organisation], leakDay: Int?) throws {
        host = HostLife.name(index)
        self.organisations = organisations
        var numbers = landscape.numbers("host", index)
        // Short lives make most certificates; a fifth, two fifths and two fifths keep the recording small.
        lifetime = [47, 90, 90, 398, 398][index % 5]
        let holdsReserve = numbers.once(in: 3)
        // How many certificates one key gets: most hosts take a new key each time, some keep theirs for ever.
        let renewalsPerKey = [1, 1, 1, 4, Int.max][numbers.pick(0..<5)]
        // Shares of the market: the one that falls has a sixth.
        var organisation = [0, 0, 1, 1, 2, 3][numbers.pick(0..<6)]
        let exodusDay = Landscape.distrustDay + numbers.pick(1..<Landscape.exodusDays + 1)
        // Thefts are noticed late.
        let noticedDay = leakDay.map { $0 + numbers.pick(2..<22) }
        var key = try Self.key(&numbers)
        var reserve = holdsReserve ? try Self.key(&numbers) : nil
        var uses = 0
        var note: String?
        var leak: Int64?
        var day = -numbers.pick(0..<lifetime * 2 / 3)
        while day < Landscape.days {
            // Renewal when a third of the life is left, give or take what people do.
            var end = day + lifetime * 2 / 3 + numbers.pick(-lifetime / 10..<lifetime / 10 + 1)
            var cause = Cause.renewal
            if organisations[organisation].distrustDay != nil, day < exodusDay, exodusDay <= end {
                (end, cause) = (exodusDay, .distrust)
            }
            if let noticedDay, day < noticedDay, noticedDay <= end { (end, cause) = (noticedDay, .leak) }
            let issuer = organisations[organisation].issuing(on: day, &numbers)
            let leaf = try issuer.signer.certify(
                host: host,
                key.publicKey,
                from: Landscape.time(day: day),
                to: Landscape.time(day: day + lifetime),
                serial: numbers.bytes(16)
            )
            if end > 0 {
                periods.append(
                    Period(
                        days: max(day, 0)..<min(end, Landscape.days),
                        leaf: leaf,
                        organisation: organisation,
                        intermediate: issuer,
                        nextKey: reserve.map(Self.pin),
                        note: note,
                        leak: leak
                    )
                )
            }
            uses += 1
            (note, leak) = (nil, nil)
            switch cause {
            case .renewal:
                // About one change of organisation in ten years of service, and never towards the fallen one.
                if numbers.pick(0..<3650) < end - day { organisation = Self.other(than: organisation, &numbers) }
            case .distrust:
                organisation = Self.other(than: organisation, &numbers)
                note = "left an authority that lost its trust"
            case .leak:
                let time = Landscape.time(day: leakDay ?? end)
                (note, leak) = (
                    "emergency: the key before this one leaked on \(Timestamp.text(unixSeconds: time).prefix(10))", time
                )
            }
            if cause == .leak || uses >= renewalsPerKey {
                key = try reserve ?? Self.key(&numbers)
                if holdsReserve { reserve = try Self.key(&numbers) }
                uses = 0
            }
            day = end
        }
        self.numbers = numbers
    }

    private enum Cause { case renewal, distrust, leak }

    /// What daily captures of the host saw; each failed now and then.
    mutating func observations() -> [ChainRecordingWriter.Entry] {
        let second = Int64(numbers.pick(0..<Int(Landscape.day)))
        var entries: [ChainRecordingWriter.Entry] = []
        var current: (period: Int, authorities: [[UInt8]], label: ChainLabel)?
        for (index, period) in periods.enumerated() {
            let organisation = organisations[period.organisation]
            for day in period.days where !numbers.once(in: Landscape.missedCapture) {
                let time = Landscape.time(day: day, second: second)
                let authorities = organisation.authorities(above: period.intermediate, on: day)
                let isDistrusted = organisation.distrustDay.map { day >= $0 } ?? false
                let label = isDistrusted ? ChainLabel.distrusted : .genuine
                if let current, current.period == index, current.label == label, current.authorities == authorities {
                    entries[entries.count - 1].last = time
                    continue
                }
                current = (index, authorities, label)
                var entry = ChainRecordingWriter.Entry(
                    first: time,
                    last: time,
                    endpoint: RecordedEndpoint(host: host, port: 443)
                )
                entry.validated = [period.leaf] + authorities
                entry.label = label
                entry.nextKeys = period.nextKey.map { [$0] } ?? []
                entry.note = period.note
                entry.previousKeyLeaked = period.leak
                entries.append(entry)
            }
        }
        return entries
    }

    static func name(_ index: Int) -> String {
        let digits = String(index)
        return "host\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits).lab.example"
    }

    private static func key(_ numbers: inout SeededNumbers) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(rawRepresentation: numbers.bytes(32))
    }

    private static func pin(_ key: P256.Signing.PrivateKey) -> Pin {
        let info = [UInt8](key.publicKey.derRepresentation)
        return Pin(hashing: info.span)
    }

    private static func other(than organisation: Int, _ numbers: inout SeededNumbers) -> Int {
        let others = [0, 1, 3].filter { $0 != organisation }
        return others[numbers.pick(0..<others.count)]
    }
}
