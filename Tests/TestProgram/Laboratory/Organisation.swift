/// A company that issues certificates: one root, and intermediates that come and go.
struct Organisation {
    /// Something that issues leaves for a while.
    struct Intermediate {
        let signer: Signer
        /// Below the organisation's own root.
        let own: [UInt8]
        /// The same name and key, signed by another organisation's root; `nil` without a cross-signature.
        let cross: [UInt8]?
    }

    let name: String
    let root: Signer
    let rootCertificate: [UInt8]
    /// The other organisation's root that vouches for this one's intermediates.
    let elder: [UInt8]?
    /// Two for each year, the year before the recording first.
    let intermediates: [[Intermediate]]
    /// The day on which trust ends; `nil` where it does not.
    let distrustDay: Int?

    /// - Parameter elder: an organisation that signs this one's intermediates as well.
    init(_ name: String, _ landscape: Landscape, elder: Organisation? = nil, distrustDay: Int? = nil) throws {
        var numbers = landscape.numbers("organisation \(name)")
        self.name = name
        self.distrustDay = distrustDay
        let root = try Signer(name, "\(name) Root", &numbers)
        self.root = root
        rootCertificate = try root.certify(
            root,
            from: Landscape.time(day: elder == nil ? -3650 : -200),
            to: Landscape.time(day: 7300),
            pathLength: nil,
            serial: numbers.bytes(16)
        )
        self.elder = elder?.rootCertificate
        var years: [[Intermediate]] = []
        for year in -1...3 {
            let from = Landscape.time(day: year * 365 - 60)
            let to = Landscape.time(day: year * 365 + 1100)
            var pair: [Intermediate] = []
            for letter in ["A", "B"] {
                let signer = try Signer(name, "\(name) \(letter)\(year + 2)", &numbers)
                let serials = [numbers.bytes(16), numbers.bytes(16)]
                pair.append(
                    Intermediate(
                        signer: signer,
                        own: try root.certify(signer, from: from, to: to, pathLength: 0, serial: serials[0]),
                        cross: try elder?.root.certify(signer, from: from, to: to, pathLength: 0, serial: serials[1])
                    )
                )
            }
            years.append(pair)
        }
        intermediates = years
    }

    /// One of the two that issue on a day.
    func issuing(on day: Int, _ numbers: inout SeededNumbers) -> Intermediate {
        let year = (day + 365) / 365
        return intermediates[min(max(year, 0), intermediates.count - 1)][numbers.pick(0..<2)]
    }

    /// What validation builds above a leaf on a day.
    func authorities(above intermediate: Intermediate, on day: Int) -> [[UInt8]] {
        if let cross = intermediate.cross, let elder, day < Landscape.ownRootDay { return [cross, elder] }
        return [intermediate.own, rootCertificate]
    }

    /// All that the organisation signed for itself.
    var certificates: [[UInt8]] {
        [rootCertificate] + intermediates.joined().flatMap { [$0.own] + ($0.cross.map { [$0] } ?? []) }
    }
}
