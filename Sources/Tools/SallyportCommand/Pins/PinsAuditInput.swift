internal import ArgumentParser
internal import Hostnames
internal import OfflineVerbs
internal import PinAudits
internal import PinFormats
internal import SPKIPins

/// The input of an audit, with the file of each policy and the file and number of each certificate.
struct PinsAuditInput {
    let format: PinFormat?
    let host: String?
    let now: Int64

    var audit = PinAudit()
    /// The file of each policy.
    private(set) var policyFiles: [String] = []
    /// The file of each certificate, and its number there, from 1.
    private(set) var certificatePlaces: [(file: String, number: Int)] = []
    /// How many certificates could not be read, in files that also have readable ones.
    private(set) var damagedCertificates = 0

    /// The host of pins without one: a reserved name, which a real host cannot have (RFC 2606 section 2).
    private static let noHost = "pins.invalid"

    init(format: PinFormat?, host: String?, now: Int64) {
        self.format = format
        self.host = host
        self.now = now
    }

    /// Reads a file with a policy, a list of pins or certificates.
    mutating func read(_ file: String) throws {
        let bytes = try PinsInput.bytes(of: file, "pins audit")
        do {
            if PinsInput.isImage(bytes) { return append(try PinPolicy(image: bytes).entries, of: file) }
            try PinsInput.checkContainer(bytes, of: file, "pins audit")
            let contents = try CertificateInput.contents(in: bytes.span)
            guard contents.certificates.isEmpty else { return try append(contents.certificates, of: file) }
            guard contents.otherLabels.isEmpty else {
                let problem = PEMLabel.noCertificate(besides: contents.otherLabels)
                throw PinsInput.fail("pins audit", "\(PinsInput.name(of: file)): \(problem)")
            }
            if let pins = Self.pins(in: bytes) {
                let entry = PinPolicy.Entry(
                    host: host ?? Self.noHost,
                    pins: try pins.map { PositionedPin(try Pin(parsing: $0)) },
                    backup: .amongPins,
                    expiry: nil
                )
                return append([entry], of: file)
            }
            let document = try PinsInput.document(bytes, of: file, format, host: host, now: now, "pins audit")
            PinsInput.name(document.losses, of: file)
            append(document.entries, of: file)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw PinsInput.fail("pins audit", "\(PinsInput.name(of: file)): \(error)")
        }
    }

    mutating func readBlockList(_ file: String) throws {
        let bytes = try PinsInput.bytes(of: file, "pins audit")
        do {
            if let pins = Self.pins(in: bytes) {
                for pin in pins { audit.blocked.insert(try Pin(parsing: pin)) }
                return
            }
            var moduli = BlockedModuli()
            try moduli.add(list: bytes)
            guard !moduli.isEmpty else {
                throw PinsInput.fail(
                    "pins audit",
                    "\(PinsInput.name(of: file)): not a block list; give one pin per line (sha256/…), or 20 hexadecimal digits per line as Debian does"
                )
            }
            try audit.blockedModuli.add(list: bytes)
        } catch let error as PinError {
            throw PinsInput.fail("pins audit", "\(PinsInput.name(of: file)): \(error)")
        } catch let error as BlockedModuliError {
            throw PinsInput.fail(
                "pins audit",
                "\(PinsInput.name(of: file)): not a block list of pins or moduli: \(error)"
            )
        }
    }

    mutating func readPresented(_ host: String, _ file: String) throws {
        let certificates = try PinsInput.certificates(of: file, "pins audit")
        do {
            let name = try Hostname(parsing: host)
            audit.presentations.append(.init(host: name, chain: try PresentedChain(copying: certificates)))
        } catch {
            throw PinsInput.fail("pins audit", "--presented \(host): \(error)")
        }
    }

    /// Adds the certificates that can be read, and reports the others on standard error.
    private mutating func append(_ certificates: [Result<[UInt8], PEMError>], of file: String) throws {
        var damaged = 0
        for (index, certificate) in certificates.enumerated() {
            switch certificate {
            case .success(let bytes):
                audit.certificates.append(bytes)
                certificatePlaces.append((file, index + 1))
            case .failure(let error):
                _ = PinsInput.fail("pins audit", "\(PinsInput.name(of: file)): \(error)")
                damaged += 1
            }
        }
        guard damaged < certificates.count else { throw CommandExit.couldNotRun }
        damagedCertificates += damaged
    }

    private mutating func append(_ entries: [PinPolicy.Entry], of file: String) {
        audit.policies.append(entries)
        policyFiles.append(file)
    }

    /// The pins of a list with one pin per line, `#` comments allowed; `nil` for another kind of file.
    private static func pins(in bytes: [UInt8]) -> [Substring]? {
        let lines = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
        let pins = lines.map { $0.prefix { $0 != "#" } }.map { line in
            line.drop { $0 == " " }.prefix { $0 != " " }
        }.filter { !$0.isEmpty }
        // A pin is the only word of its line, so a file in OkHttp's form is not such a list.
        let isList = lines.allSatisfy { line in
            line.prefix { $0 != "#" }.split(separator: " ").count <= 1
        }
        guard isList, let first = pins.first, (try? Pin(parsing: first)) != nil || first.hasPrefix("sha256/") else {
            return nil
        }
        return pins
    }
}
