internal import WireFormat

/// The expected keys of hosts, compiled from entries; immutable.
///
/// To change a policy, compile another one with a higher version and replace the first. A connection that
/// was opened under one version does not show what another would decide, so the version belongs in the key of a connection pool.
public struct PinPolicy: Sendable {
    /// The most entries of a policy.
    public static let mostEntries = 1 << 20
    /// The most pins of one entry, primary and backup together.
    public static let mostPinsPerEntry = 4096

    /// The most pins that one entry forbids.
    public static let mostForbiddenPerEntry = 1 << 20

    /// The compiled form; every entry's pins and patterns lie in one image.
    let compiled: CompiledPinPolicy

    /// Chosen by the caller; comes back in each verdict.
    public var version: UInt64 { compiled.version }

    /// The time of compiling, in seconds since 1970-01-01T00:00:00Z. An earlier clock is read as this time.
    public var compiledAt: Int64 { compiled.layout.compiledAt }

    /// How many entries there are.
    public var entryCount: Int { compiled.layout.entryCount }

    /// Reads an image that ``image`` wrote; untrusted bytes are safe.
    ///
    /// - Complexity: O(*n*), a SHA-256 of the bytes included.
    public init(image: [UInt8]) throws(PinImageError) {
        compiled = try CompiledPinPolicy(ImageBytes(copying: image.span))
    }

    /// Maps the file at `path`, an image that ``image`` wrote, and answers from its pages.
    ///
    /// Put a new file in its place to change it; do not write into one that is mapped.
    ///
    /// - Complexity: O(*n*), a SHA-256 of the bytes included.
    public init(mappingImageAt path: String) throws(PinImageError) {
        compiled = try CompiledPinPolicy(ImageBytes(mappingPinImageAt: path))
    }

    /// The bytes to store, sign or map; the same on every machine for the same entries, version and time.
    public var image: [UInt8] {
        compiled.storage.withSpan { bytes in [UInt8](copying: bytes) }
    }
}

extension PinPolicy {
    /// What a mismatch means.
    public enum Mode: Hashable, Sendable {
        /// The connection must not be used.
        case enforce
        /// The connection may be used; the mismatch is reported.
        case reportOnly
    }

    /// The keys that replace the primary ones if these are lost or stolen.
    public enum Backup: Equatable, Sendable {
        /// Keys that exist, are not in use, and are kept elsewhere; best under another certificate authority.
        case pins([PositionedPin])
        /// They are among `pins`, at least two, and are not marked, because most other formats cannot mark them.
        case amongPins
        /// None: if the key is lost, no client with this policy reaches the site. The reason says why that is acceptable.
        case unsafeSinglePin(reason: String)
    }

    /// A host pattern and its pins, as they are written down.
    public struct Entry: Equatable, Sendable {
        /// `host.example`, `*.host.example` (exactly one label more) or `**.host.example` (that host itself and any number of
        /// labels more).
        public var host: String
        /// The keys in use, of which one must be in the validated chain.
        public var pins: [PositionedPin]
        /// The keys that are not in use yet; one of these in the chain is a match as well.
        public var backup: Backup
        /// The first second, counted from 1970-01-01T00:00:00Z, in which the entry no longer decides; `nil` for never.
        public var expiry: Int64?
        /// Whether a mismatch forbids the connection.
        public var mode: Mode
        /// Keys that must be nowhere in the chain, also after the expiry.
        public var forbidden: [Pin]

        /// Makes an entry; `PinPolicy(compiling:version:at:knownCertificates:)` checks it.
        public init(
            host: String,
            pins: [PositionedPin],
            backup: Backup,
            expiry: Int64?,
            mode: Mode = .enforce,
            forbidden: [Pin] = []
        ) {
            self.host = host
            self.pins = pins
            self.backup = backup
            self.expiry = expiry
            self.mode = mode
            self.forbidden = forbidden
        }

        /// The backup pins, where they are told apart.
        package var backupPins: [PositionedPin] { if case .pins(let pins) = backup { pins } else { [] } }
    }
}
