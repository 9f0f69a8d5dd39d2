internal import SPKIPins

/// Records of DANE (RFC 6698 2.1): usage 3 is the server's own key, usage 2 an authority's; selector 1 is the
/// SubjectPublicKeyInfo and matching type 1 its SHA-256.
enum TLSA {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        var order: [String] = []
        var pins: [String: [PositionedPin]] = [:]
        var places: [String: [Pin: Int]] = [:]
        var services: [String: String] = [:]
        for line in NumberedLines(text) {
            let words = line.text.prefix { $0 != ";" }.split { " \t()".contains($0) }
            guard let type = words.firstIndex(where: { $0.uppercased() == "TLSA" }) else {
                guard words.isEmpty || words[0].hasPrefix("#") else {
                    throw .malformed(place: line.place, problem: "expected a TLSA record in one line")
                }
                continue
            }
            let fields = words[(type + 1)...]
            guard type > 0, fields.count >= 4 else {
                throw .malformed(
                    place: line.place,
                    problem: "expected owner, TLSA, three numbers and hexadecimal digits"
                )
            }
            let kind = fields.prefix(3).joined(separator: " ")
            guard kind == "3 1 1" || kind == "2 1 1" else {
                throw .malformed(place: line.place, problem: "TLSA \(kind.prefix(20)): only 3 1 1 and 2 1 1 are pins")
            }
            // RFC 6698 3: the name starts with labels for port and protocol, each with an underscore.
            let labels = words[0].split(separator: ".")
            let service = labels.prefix { $0.hasPrefix("_") }.joined(separator: ".").lowercased()
            // Records of one name are one set; names ignore case (RFC 4343).
            let host = labels.drop { $0.hasPrefix("_") }.joined(separator: ".").lowercased()
            if pins[host] == nil { order.append(host) }
            // A mail server may have another certificate than the web server of the same name.
            guard services.updateValue(service, forKey: host) ?? service == service else {
                throw .malformed(
                    place: line.place,
                    problem: "another service of one host; give the records of one alone"
                )
            }
            let pin = try pin(digits: fields.dropFirst(3).joined(), at: "\(line.place): TLSA \(kind)")
            let found = PositionedPin(pin, at: kind.hasPrefix("3") ? .leaf : .issuer)
            // A key with both usages matches at any position.
            if let index = places[host]?[pin], pins[host]?[index].position != found.position {
                pins[host]?[index] = PositionedPin(pin)
            } else {
                places[host, default: [:]][pin] = pins[host, default: []].count
                pins[host, default: []].append(found)
            }
        }
        return PinDocument(
            entries: order.map { PinPolicy.Entry(host: $0, pins: pins[$0] ?? [], backup: .amongPins, expiry: nil) },
            losses: order.filter { services[$0] != usualService }.map { PinLoss(.service, $0) }
        )
    }

    /// Reads the association data, which are hexadecimal digits (RFC 6698 2.2).
    private static func pin(digits: String, at place: String) throws(PinFormatError) -> Pin {
        do throws(PinError) {
            return try Pin(hexadecimal: digits)
        } catch {
            throw .invalidPin(place: place, reason: error)
        }
    }

    /// The service of records without a loss: HTTPS.
    private static let usualService = "_443._tcp"

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var text = ""
        var losses: [PinLoss] = []
        for entry in entries {
            guard !entry.host.hasPrefix("*") else {
                losses.append(PinLoss(.pattern, entry.host, "a record is for one name; name each host"))
                continue
            }
            let name: String
            do throws(PinLoss) {
                name = try domain(of: entry.host).name
            } catch {
                losses.append(error)
                continue
            }
            losses += entry.losses(keeping: [.position])
            for pin in entry.allPins {
                // A record is for a leaf or an authority, so a pin for any position becomes two records.
                let usages = pin.position == .leaf ? [3] : pin.position == .any ? [3, 2] : [2]
                if pin.position == .anchor { losses.append(PinLoss(.position, entry.host)) }
                for usage in usages { text += "\(usualService).\(name). IN TLSA \(usage) 1 1 \(pin.pin.hexadecimal)\n" }
            }
        }
        return (text, losses)
    }
}
