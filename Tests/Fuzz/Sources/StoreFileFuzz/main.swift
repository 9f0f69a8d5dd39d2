import CFuzzer
import Credentials
import Hostnames
import Secrets

@testable import CredentialStores

let material = KeyMaterial(kind: .keyFile, secret: SharedSecret(utf8: "a key file of thirty-two bytes.."))
let identifier = [UInt8](repeating: 7, count: SealedImage.identifierLength)
let dataKey = SealingKey(copying: [UInt8](repeating: 9, count: SealingKey.byteCount).span)
let keys = StoreKeys(dataKey, identifier: identifier)

let credentials: [StoredCredential] = {
    let spaces = ["https://a.example", "https://a.example:8443", "http://b.example", "https://c.example"].map {
        guard let origin = try? Origin(parsing: $0) else { preconditionFailure("no origin") }
        return CredentialSpace.realm("realm", of: origin)
    }
    return spaces.enumerated().map { index, space in
        StoredCredential(
            name: CredentialName(space: space, user: "user \(index)", domain: index % 2 == 0 ? nil : "ACME"),
            secret: SharedSecret(utf8: String(repeating: "secret \(index)", count: 1 + 20 * index)),
            created: Int64(index),
            expires: index == 1 ? 9 : nil
        )
    }
}()

/// A file of two key slots and four records, to be damaged.
let original: [UInt8] = {
    let slots = (UInt32(1)...2).compactMap { number in
        KeySlot(
            number: number,
            wrapping: dataKey,
            with: material,
            passphraseCost: .standard,
            created: 1,
            context: SealedImage.context(identifier)
        )
    }
    let records = credentials.map { (key: keys.key(of: $0.name), bytes: keys.seal($0)[...]) }
        .sorted { $0.key < $1.key }
        .map(\.bytes)
    guard
        let image = try? SealedImage(identifier: identifier, write: 5, slots: slots, records: records, keys: keys)
    else { preconditionFailure("no file to begin with") }
    return image.bytes
}()

func text(_ secret: SharedSecret) -> [UInt8] { secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } }

/// Whether `credential` is one of those that were stored, with its own secret.
func isKnown(_ credential: StoredCredential) -> Bool {
    credentials.contains {
        $0.listing == credential.listing && text($0.secret) == text(credential.secret)
    }
}

/// Reads a file to the end; returns whether it opened.
func read(_ bytes: [UInt8]) -> Bool {
    do throws(CredentialStoreError.Problem) {
        let image = try SealedImage(parsing: bytes)
        precondition(image.bytes == bytes && !image.slots.isEmpty)
        for index in image.records.indices {
            let (place, isPresent) = image.place(of: image.key(at: index))
            precondition(place == index && isPresent, "a record is not found")
            precondition(image.indices(ofHost: image.key(at: index).host).contains(index))
        }
        let (opened, _) = try image.unlock(with: material)
        for index in image.records.indices {
            do throws(CredentialStoreError.Problem) {
                let credential = try opened.open(image.record(at: index))
                precondition(isKnown(credential), "a wrong secret")
            } catch {
                precondition(!error.description.isEmpty)
            }
        }
        return true
    } catch {
        precondition(!error.description.isEmpty && !error.description.contains("\n"))
        return false
    }
}

func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

/// Writes one byte for each three of `changes`: two for the place and one for the value.
func change(_ bytes: inout [UInt8], _ changes: Slice<UnsafeBufferPointer<UInt8>>) {
    for start in stride(from: changes.startIndex, to: changes.endIndex - 2, by: 3) {
        bytes[(Int(changes[start]) | Int(changes[start + 1]) << 8) % bytes.count] = changes[start + 2]
    }
}

/// What lies inside a record, see `SealedRecord`.
func contents(of credential: StoredCredential) -> [UInt8] {
    let (name, secret) = (credential.name.encoded, text(credential.secret))
    var bytes: [UInt8] = [1, 0] + littleEndian(credential.expires == nil ? 0 : 1, 2)
    bytes += littleEndian(Int(credential.created), 8) + littleEndian(Int(credential.expires ?? 0), 8)
    bytes += littleEndian(name.count, 4) + littleEndian(secret.count, 4) + name + secret
    return bytes + [UInt8](repeating: 0, count: 127 - (bytes.count + 127) % 128)
}

/// One input: a byte, and then a file as it is; or changes of a file, with or without a new authentication code; or changes of
/// what is sealed in a record. A fuzzer guesses neither a code nor a ciphertext.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let choice = input.first else { return 0 }
    var changes = input.dropFirst()
    switch choice % 4 {
    case 0:
        let bytes = Array(changes)
        precondition(!read(bytes) || bytes == original, "an unsealed file opens")
    case 1:
        var bytes = original
        change(&bytes, changes)
        if choice & 4 != 0, let shorter = changes.last { bytes.removeLast(Int(shorter)) }
        precondition(read(bytes) == (bytes == original), "a damaged file opens")
    case 2:
        var bytes = Array(original.dropLast(SealedImage.codeLength))
        if choice & 4 != 0, changes.count >= 3 {
            // A part is left out, and the length is that of the rest.
            let cut = changes.prefix(3)
            changes = changes.dropFirst(3)
            let first = SealedImage.headerLength + Int(cut[1]) * 8 % (bytes.count - SealedImage.headerLength)
            bytes.removeSubrange(first..<min(bytes.count, first + Int(cut[2]) * 4 + Int(cut[3])))
            bytes.replaceSubrange(40..<48, with: littleEndian(bytes.count + SealedImage.codeLength, 8))
        }
        change(&bytes, changes)
        bytes += keys.file.code(of: bytes[...])
        _ = read(bytes)
    default:
        let credential = credentials[Int(choice / 4) % credentials.count]
        var inside = contents(of: credential)
        let (key, context) = (keys.key(of: credential.name), SealedImage.context(identifier))
        let unchanged = inside
        change(&inside, changes)
        let tags = key.host.bytes + key.identifier.bytes
        let box = dataKey.seal(inside, authenticating: context + tags)
        let record = littleEndian(box.count, 4) + tags + box
        do throws(CredentialStoreError.Problem) {
            let opened = try SealedRecord.open(record[...], context: context, with: dataKey)
            precondition(inside != unchanged || isKnown(opened), "a record does not travel")
            precondition(opened.secret.count > 0 && opened.secret.count <= inside.count)
        } catch {
            precondition(inside != unchanged, "a record is refused")
        }
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
