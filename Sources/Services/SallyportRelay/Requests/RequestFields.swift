internal import HTTPTypes
internal import NIOCore

/// Writes fields byte for byte.
enum RequestFields {
    /// `Content-Length`, without a string in between.
    static func writeLength(_ length: Int, to buffer: inout ByteBuffer) {
        buffer.writeStaticString("Content-Length: ")
        var divisor = 1
        while length / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            buffer.writeInteger(UInt8(ascii: "0") + UInt8(length / divisor % 10))
            divisor /= 10
        }
        buffer.writeInteger(UInt16(0x0D0A))
    }

    static func write(_ field: HTTPField, to buffer: inout ByteBuffer) {
        buffer.writeString(field.name.rawName)
        buffer.writeStaticString(": ")
        // In bounds: the buffer is the field's own.
        unsafe field.withUnsafeBytesOfValue { value in _ = unsafe buffer.writeBytes(value) }
        buffer.writeInteger(UInt16(0x0D0A))
    }
}
