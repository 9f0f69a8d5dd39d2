internal import SPKIPins

/// Records of DANE (RFC 6698 2.1) in the text of a zone. The usages 1 and 3 are the server's own key, 0 and 2 an
/// authority's; selector 1 is the SubjectPublicKeyInfo and matching type 1 its SHA-256.
///
/// The usages 0 and 1 demand a chain that a store trusts, as every policy of pins does.
enum TLSA {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        var collection = Collection()
        var names = ZoneNames()
        var records = ZoneRecords(text)
        while let record = try records.next() {
            if !record.startsWithBlank, record.words[0].hasPrefix("$") {
                try collection.obey(record, &names)
            } else {
                let owner = try names.owner(of: record)
                let words = record.words.dropFirst(record.startsWithBlank ? 0 : 1)
                try collection.add(try ResourceType(words, at: record.place), of: owner, at: record.place)
            }
        }
        return collection.document
    }

    /// The pins and losses of the records so far.
    private struct Collection {
        private struct Service: Hashable {
            let host: String
            /// Port and protocol: `_443._tcp`.
            let name: String
        }

        /// The pins of one service, in the order of the records.
        private struct Pins {
            var pins: [PositionedPin] = []
            var places: [Pin: Int] = [:]

            /// Usages of one position differ in the chain alone, and equal records are one (RFC 2181 5). A key with both positions
            /// matches at any.
            mutating func add(_ found: PositionedPin) {
                guard let index = places[found.pin] else {
                    places[found.pin] = pins.count
                    pins.append(found)
                    return
                }
                if pins[index].position != found.position { pins[index] = PositionedPin(found.pin) }
            }
        }

        private var order: [Service] = []
        private var pins: [Service: Pins] = [:]
        private var losses: [PinLoss] = []
        private var seen: Set<PinLoss> = []

        /// A host gets the pins of one service: HTTPS if it has records, otherwise the first. A mail server may have another certificate
        /// than the web server of the same name, so pins of both would let each pass for the other.
        var document: PinDocument {
            var document = PinDocument(entries: [], losses: losses)
            var kept: [String: Service] = [:]
            for service in order where kept[service.host] == nil || service.name == usualService {
                kept[service.host] = service
            }
            var unnamed: Set<String> = []
            for service in order {
                guard let pins = pins[service]?.pins, let first = kept[service.host] else { continue }
                if service == first {
                    document.entries.append(
                        PinPolicy.Entry(host: service.host, pins: pins, backup: .amongPins, expiry: nil)
                    )
                } else if Set(pins) != Set(self.pins[first]?.pins ?? []) {
                    document.losses.append(PinLoss(.otherService, service.host, service.name))
                    continue
                }
                guard service.name != usualService, unnamed.insert(service.host).inserted else { continue }
                document.losses.append(PinLoss(.service, service.host))
            }
            return document
        }

        mutating func obey(_ directive: ZoneRecords.Record, _ names: inout ZoneNames) throws(PinFormatError) {
            switch directive.words[0].uppercased() {
            case "$ORIGIN":
                guard directive.words.count == 2 else {
                    throw .malformed(place: directive.place, problem: "expected one name after $ORIGIN")
                }
                names.setOrigin(directive.words[1])
            case "$TTL": break
            case "$INCLUDE": lose(PinLoss(.record, "", "the records of a file that $INCLUDE names"))
            case "$GENERATE": lose(PinLoss(.record, "", "the records that $GENERATE makes"))
            default:
                throw .malformed(place: directive.place, problem: "unknown directive: a zone has $ORIGIN and $TTL")
            }
        }

        mutating func add(
            _ record: ResourceType,
            of owner: ZoneNames.Name,
            at place: String
        ) throws(PinFormatError) {
            guard record.type == "TLSA", record.isOfInternet else {
                let other =
                    record.type == "TLSA"
                    ? "TLSA records of another class than IN" : "records of the type \(record.type)"
                return lose(PinLoss(.record, "", "\(other), which have no pins"))
            }
            let association = try TLSAAssociation(record.data, at: place)
            let host = owner.host
            if owner.lacksOrigin {
                // A single label is the rest of a name, so its zone must be known.
                guard host.contains(".") else {
                    throw .malformed(
                        place: place,
                        problem:
                            "the owner is relative: write '$ORIGIN host.example.' in a line before it, or the whole "
                            + "name with a dot at its end"
                    )
                }
                lose(PinLoss(.origin, host))
            }
            guard let position = association.position else {
                return lose(
                    PinLoss(.record, host, "the record TLSA \(association.kind): only the SHA-256 of a key is a pin")
                )
            }
            let found = PositionedPin(try association.pin(at: place), at: position)
            let service = Service(host: host, name: owner.service)
            if pins[service] == nil { order.append(service) }
            pins[service, default: Pins()].add(found)
        }

        private mutating func lose(_ loss: PinLoss) {
            if seen.insert(loss).inserted { losses.append(loss) }
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
