package import NIOCore

extension ResponseHead {
    /// The most characters of a reason phrase that a message shows; as many as one of the relay's own has.
    package static let shownReason = 240

    /// The reason phrase in the head `bytes` as a message may show it: in printable ASCII, and at most ``shownReason`` characters.
    package func reason(in bytes: ByteBuffer) -> String {
        let place = bytes.readerIndex + statusAndReason.lowerBound + 3
        let length = max(0, statusAndReason.count - 5)
        var text = ""
        for byte in bytes.viewBytes(at: place, length: length) ?? ByteBufferView() {
            let scalar = Unicode.Scalar(byte)
            if text.isEmpty, byte.isBlank { continue }
            guard text.utf8.count < Self.shownReason else { return String(text.dropLast(3)) + "..." }
            text.unicodeScalars.append((0x20...0x7E).contains(byte) ? scalar : "?")
        }
        return text
    }
}
