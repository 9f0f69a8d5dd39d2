internal import SPKIPins

/// TrustKit's `TSKPinnedDomains`.
enum TrustKit {
    static func read(_ document: DocumentValue) throws(PinFormatError) -> PinDocument {
        var result = PinDocument(entries: [])
        var exempt: [String] = []
        for (name, value) in try document.entries(of: "TSKPinnedDomains", in: "TSKConfiguration") {
            let fields = try value.object(at: name)
            if let excluded = fields["TSKExcludeSubdomainFromParentPolicy"], try excluded.boolean(at: name) {
                exempt.append(name)
                continue
            }
            guard let hashes = fields["TSKPublicKeyHashes"] else {
                throw .malformed(place: name, problem: "expected 'TSKPublicKeyHashes'")
            }
            var pins: [PositionedPin] = []
            for hash in try hashes.array(at: name) {
                pins.append(PositionedPin(try pin(try hash.text(at: name), at: name)))
            }
            if fields["TSKReportUris"] != nil { result.losses.append(PinLoss(.reportAddress, name)) }
            if fields["TSKAdditionalTrustAnchors"] != nil { result.losses.append(PinLoss(.localAnchors, name)) }
            let includesSubdomains = try fields["TSKIncludeSubdomains"]?.boolean(at: name) ?? false
            result.entries.append(
                PinPolicy.Entry(
                    host: pattern(name, includesSubdomains: includesSubdomains),
                    pins: pins,
                    backup: .amongPins,
                    expiry: try fields["TSKExpirationDate"].map { value throws(PinFormatError) in
                        try value.seconds(at: "\(name).TSKExpirationDate")
                    },
                    mode: try fields["TSKEnforcePinning"]?.boolean(at: name) ?? true ? .enforce : .reportOnly
                )
            )
        }
        result.losses += exemptions(from: result.entries, of: exempt)
        return result
    }

    static func write(_ entries: [PinPolicy.Entry], asPropertyList: Bool) -> (text: String, losses: [PinLoss]) {
        var domains: [String: DocumentValue] = [:]
        var names = DomainNames()
        var losses: [PinLoss] = []
        for entry in entries {
            // Domains are keys, so a host and its subdomains cannot have two entries.
            guard let (name, includesSubdomains) = names.next(entry, &losses) else { continue }
            losses += entry.losses(keeping: [.expiry, .mode])
            var fields: [String: DocumentValue] = [
                "TSKPublicKeyHashes": .array(entry.allPins.map { .text($0.pin.base64) }),
                "TSKIncludeSubdomains": .boolean(includesSubdomains),
                "TSKEnforcePinning": .boolean(entry.mode == .enforce),
            ]
            if let expiry = entry.expiry {
                fields["TSKExpirationDate"] = .text(Calendar.day(expiry))
                if Calendar.hasTimeOfDay(expiry) { losses.append(PinLoss(.timeOfDay, entry.host)) }
            }
            domains[name] = .object(fields)
        }
        let root = DocumentValue.object(["TSKPinnedDomains": .object(domains)])
        return (asPropertyList ? root.propertyList : root.json, losses)
    }
}
