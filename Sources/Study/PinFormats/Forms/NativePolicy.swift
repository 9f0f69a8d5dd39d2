internal import SPKIPins
internal import WireFormat

/// Our own form: a JSON object with `entries`, whose keys are those of `pins` in a security profile.
enum NativePolicy {
    static func read(_ document: DocumentValue) throws(PinFormatError) -> PinDocument {
        let root = try document.object(at: wholeText)
        guard let list = root["entries"] else { throw .malformed(place: wholeText, problem: "expected 'entries'") }
        var entries: [PinPolicy.Entry] = []
        for (index, value) in try list.array(at: "entries").enumerated() {
            let place = "entries[\(index)]"
            let fields = try value.object(at: place)
            let known = ["host", "pins", "backups", "withoutBackup", "expires", "enforce", "forbidden"]
            // A misspelt key must not silently turn something off.
            if let key = fields.keys.sorted().first(where: { !known.contains($0) }) {
                throw .malformed(place: place, problem: "unknown key '\(key.prefix(40))'")
            }
            guard let host = fields["host"], let pins = fields["pins"] else {
                throw .malformed(place: place, problem: "expected 'host' and 'pins'")
            }
            let backup: PinPolicy.Backup
            switch (fields["backups"], fields["withoutBackup"]) {
            case (let pins?, nil): backup = .pins(try positioned(pins, at: "\(place).backups"))
            case (nil, let reason?): backup = .unsafeSinglePin(reason: try reason.text(at: "\(place).withoutBackup"))
            case (nil, nil): backup = .amongPins
            default: throw .malformed(place: place, problem: "'backups' and 'withoutBackup' exclude each other")
            }
            let forbidden = try fields["forbidden"].map { value throws(PinFormatError) in
                try positioned(value, at: "\(place).forbidden").map(\.pin)
            }
            entries.append(
                PinPolicy.Entry(
                    host: try host.text(at: "\(place).host"),
                    pins: try positioned(pins, at: "\(place).pins"),
                    backup: backup,
                    expiry: try fields["expires"].map { value throws(PinFormatError) in
                        try value.seconds(at: "\(place).expires")
                    },
                    mode: try fields["enforce"]?.boolean(at: "\(place).enforce") ?? true ? .enforce : .reportOnly,
                    forbidden: forbidden ?? []
                )
            )
        }
        return PinDocument(entries: entries)
    }

    private static func positioned(_ list: DocumentValue, at place: String) throws(PinFormatError) -> [PositionedPin] {
        var pins: [PositionedPin] = []
        for (index, value) in try list.array(at: place).enumerated() {
            let place = "\(place)[\(index)]"
            if case .text(let text) = value {
                pins.append(PositionedPin(try pin(text, at: place)))
                continue
            }
            let fields = try value.object(at: place)
            guard let digest = fields["sha256"], fields.keys.allSatisfy({ $0 == "sha256" || $0 == "position" }) else {
                throw .malformed(place: place, problem: "expected 'sha256' and perhaps 'position'")
            }
            let position = try fields["position"]?.text(at: "\(place).position") ?? "any"
            guard let known = positions.first(where: { "\($0)" == position }) else {
                throw .malformed(place: place, problem: "expected leaf, issuer, anchor or any")
            }
            pins.append(PositionedPin(try pin(try digest.text(at: "\(place).sha256"), at: place), at: known))
        }
        return pins
    }

    private static let positions: [PinPosition] = [.any, .leaf, .issuer, .anchor]

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        func list(_ pins: [PositionedPin]) -> DocumentValue {
            .array(pins.map { .object(["sha256": .text($0.pin.base64), "position": .text("\($0.position)")]) })
        }
        let objects = entries.map { entry -> DocumentValue in
            var fields: [String: DocumentValue] = ["host": .text(entry.host), "pins": list(entry.pins)]
            switch entry.backup {
            case .pins(let pins): fields["backups"] = list(pins)
            case .unsafeSinglePin(let reason): fields["withoutBackup"] = .text(reason)
            case .amongPins: break
            }
            if let expiry = entry.expiry { fields["expires"] = .text(Timestamp.text(unixSeconds: expiry)) }
            if entry.mode == .reportOnly { fields["enforce"] = .boolean(false) }
            if !entry.forbidden.isEmpty { fields["forbidden"] = .array(entry.forbidden.map { .text($0.base64) }) }
            return .object(fields)
        }
        return (DocumentValue.object(["entries": .array(objects)]).json, [])
    }
}
