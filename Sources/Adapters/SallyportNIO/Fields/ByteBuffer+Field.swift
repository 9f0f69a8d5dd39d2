internal import HTTPTypes
internal import NIOCore

extension ByteBuffer {
    /// Writes a field line with the value's own bytes. `HTTPField` refuses values with line breaks.
    mutating func write(_ field: HTTPField) {
        writeString("\(field.name.rawName): ")
        // In bounds: the buffer is the field's own.
        unsafe field.withUnsafeBytesOfValue { bytes in _ = unsafe writeBytes(bytes) }
        writeString("\r\n")
    }
}
