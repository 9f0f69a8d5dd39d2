package import HTTPTypes
package import NIOCore

extension ByteBuffer {
    /// Writes a field line with the value's own bytes. `HTTPField` refuses values with line breaks.
    package mutating func write(_ field: HTTPField) {
        writeString("\(field.name.rawName): ")
        // In bounds: the buffer is the field's own.
        unsafe field.withUnsafeBytesOfValue { bytes in _ = unsafe writeBytes(bytes) }
        writeString("\r\n")
    }
}
