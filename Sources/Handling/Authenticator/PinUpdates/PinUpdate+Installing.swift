internal import SPKIPins
internal import WireFormat

extension PinUpdate {
    /// What became of an update.
    public enum Installation: Equatable, Sendable {
        /// The file has the policy of the update now. `before` is the version that it had, or `nil` if there was no file.
        case installed(version: UInt64, before: UInt64?)
        /// The file had this policy before.
        case current(version: UInt64)
    }

    /// Opens an update and puts its policy in the place of the one in use, which must be older.
    ///
    /// The file is replaced as a whole, and is on the disk when this returns. A program that has mapped the old policy keeps it: map the new
    /// one. The version in the file is the floor, so keep it where an attacker cannot write. Two programs that install at once take turns, by a
    /// lock on `PATH.lock`, for which this waits 10 s at most and blocks the calling thread.
    ///
    /// - Parameters:
    ///   - envelope: bytes from an untrusted source.
    ///   - publicKeys: as ``open(_:trusting:above:)`` takes them.
    ///   - path: the image in use, such as `PinPolicy(mappingImageAt:)` maps. It may be missing, and the update is then the first one.
    public static func install(
        _ envelope: [UInt8],
        trusting publicKeys: [[UInt8]],
        at path: String
    ) throws(PinUpdateError) -> Installation {
        try FileLock.hold(besides: path) {
            $0.isLockedElsewhere ? .lockedTooLong(path: path) : .notReplaced(path: path, code: $0.errno)
        } _: { () throws(PinUpdateError) in
            let current = try policy(at: path)
            let newer: PinPolicy
            do throws(PinUpdateError) {
                newer = try open(envelope, trusting: publicKeys, above: current?.version ?? 0)
            } catch .rolledBack(let version, let floor) {
                // The signature is good. The same policy as the one in use is not a rollback, so a timer may install it again.
                guard let current, version == floor, contents(of: envelope) == current.image[...] else {
                    throw .rolledBack(version: version, floor: floor)
                }
                return .current(version: version)
            }
            do throws(FileWriteError) {
                let image = newer.image
                try FileReplacement.write(image.span, to: path, isDurable: true)
            } catch {
                throw .notReplaced(path: path, code: error.errno)
            }
            return .installed(version: newer.version, before: current?.version)
        }
    }

    /// The policy in use; `nil` if there is no file.
    private static func policy(at path: String) throws(PinUpdateError) -> PinPolicy? {
        guard FileReading.isTaken(path) else { return nil }
        do throws(PinImageError) {
            return try PinPolicy(mappingImageAt: path)
        } catch {
            throw .unreadablePolicy(path: path, error)
        }
    }

    private static func contents(of envelope: [UInt8]) -> ArraySlice<UInt8> {
        envelope[headerLength..<(envelope.count - signatureLength)]
    }
}
