public import SPKIPins
internal import WireFormat

/// The forms in which pins are written down, here and elsewhere.
public enum PinFormat: String, CaseIterable, Sendable {
    /// Ours, with everything that an entry says.
    case json
    /// Source text of Kotlin or Java that calls `.add("host.example", "sha256/…")` of OkHttp's `CertificatePinner.Builder`,
    /// or lines of host and pins alone. Written are the calls.
    case okhttp
    /// TrustKit's configuration as JSON.
    case trustkit
    /// TrustKit's configuration as a property list (XML).
    case trustkitPlist = "trustkit-plist"
    /// Android's `network-security-config`.
    case android
    /// Apple's `NSPinnedDomains` in an `Info.plist` (XML).
    case apple
    /// The `Public-Key-Pins` header (RFC 7469), or the directive of nginx or Apache that adds it.
    case rfc7469
    /// curl's `--pinnedpubkey`.
    case curl
    /// The text of a DNS zone with records of DANE (RFC 6698). Pins are those with selector 1 and matching type 1;
    /// written are `TLSA 3 1 1` and `TLSA 2 1 1`.
    case tlsa
    /// Chromium's `transport_security_state_static_pins.json`; the names of its keys are defined in comments at its
    /// top.
    case chromium

    /// The most bytes of a text.
    public static let largestText = 16 << 20

    /// The upper bound of pins in all entries of a text. A short text can have very many, because entries may share a
    /// set.
    public static let mostPins = 1 << 20

    /// Reads `text`.
    ///
    /// - Parameters:
    ///   - text: UTF-8, at most ``largestText`` bytes.
    ///   - host: the pattern that the pins are for, where the form names none (`rfc7469`, `curl`).
    ///   - now: seconds since 1970, for forms whose expiry counts from the moment of reading.
    /// - Complexity: O(*n*).
    public func read(_ text: [UInt8], host: String? = nil, now: Int64 = 0) throws(PinFormatError) -> PinDocument {
        guard text.count <= Self.largestText else { throw .tooLarge(bytes: text.count, limit: Self.largestText) }
        let document: PinDocument
        switch self {
        case .json: document = try NativePolicy.read(DocumentValue(json: text))
        case .okhttp: document = try OkHttp.read(text)
        case .trustkit: document = try TrustKit.read(DocumentValue(json: text))
        case .trustkitPlist: document = try TrustKit.read(DocumentValue(propertyList: text))
        case .android: document = try AndroidConfig.read(text)
        case .apple: document = try ApplePinnedDomains.read(DocumentValue(propertyList: text))
        case .rfc7469: document = try PublicKeyPinsHeader.read(text, host: host, now: now)
        case .curl: document = try Curl.read(text, host: host)
        case .tlsa: document = try TLSA.read(text)
        case .chromium: document = try ChromiumPins.read(text)
        }
        let pins = document.entries.reduce(0) { $0 + $1.pins.count + $1.backupPins.count + $1.forbidden.count }
        guard pins <= Self.mostPins else {
            throw .malformed(
                place: wholeText,
                problem: "\(pins) pins in all entries: at most \(Self.mostPins); split it"
            )
        }
        guard !document.entries.isEmpty else {
            // The losses of a file without entries go with it, so the first one is the reason.
            let reason = document.losses.first.map { ": \($0)" } ?? ""
            throw .malformed(place: wholeText, problem: "the file has no pins\(reason)")
        }
        return document
    }

    /// Writes `entries`, and reports what the form cannot express.
    ///
    /// An entry is left out, never widened, if the form does not have its pattern, its host is not a valid pattern, it
    /// has no pins, or an earlier entry has the same pattern. If a written wider entry includes the hosts of an entry
    /// that is left out, the wider entry decides for them, and a loss reports this. Hosts are written canonically, so
    /// that a host's name cannot inject syntax of the form.
    ///
    /// - Parameters:
    ///   - entries: the entries of a policy.
    ///   - now: seconds since 1970, for forms whose expiry counts from the moment of reading, and for the time that is
    ///     written in Chromium's list.
    public func write(_ entries: [PinPolicy.Entry], now: Int64 = 0) -> (text: String, losses: [PinLoss]) {
        var sound: [PinPolicy.Entry] = []
        var patterns: Set<String> = []
        var losses: [PinLoss] = []
        for var entry in entries {
            let pattern: HostPattern
            do throws(HostPatternError) {
                pattern = try HostPattern(parsing: entry.host)
            } catch {
                losses.append(PinLoss(.pattern, entry.host, "\(error)"))
                continue
            }
            entry.host = pattern.description
            // Other forms read an empty list of pins as an error or as an exemption.
            guard !entry.allPins.isEmpty else {
                losses.append(PinLoss(.noPins, entry.host))
                continue
            }
            guard patterns.insert(entry.host).inserted else {
                losses.append(PinLoss(.secondEntry, entry.host))
                continue
            }
            sound.append(entry)
        }
        let written = write(canonical: sound, now: now)
        losses += written.losses
        let leftOut = Set(written.losses.filter(\.isOfWholeEntry).map(\.pattern))
        let kept = sound.filter { !leftOut.contains($0.host) }
        return (written.text, losses + widenings(of: kept, missing: losses.filter(\.isOfWholeEntry).map(\.pattern)))
    }

    private func write(canonical entries: [PinPolicy.Entry], now: Int64) -> (text: String, losses: [PinLoss]) {
        switch self {
        case .json: NativePolicy.write(entries)
        case .okhttp: OkHttp.write(entries)
        case .trustkit: TrustKit.write(entries, asPropertyList: false)
        case .trustkitPlist: TrustKit.write(entries, asPropertyList: true)
        case .android: AndroidConfig.write(entries)
        case .apple: ApplePinnedDomains.write(entries)
        case .rfc7469: PublicKeyPinsHeader.write(entries, now: now)
        case .curl: Curl.write(entries)
        case .tlsa: TLSA.write(entries)
        case .chromium: ChromiumPins.write(entries, now: now)
        }
    }
}
