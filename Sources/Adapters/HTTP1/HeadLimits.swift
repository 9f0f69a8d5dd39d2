/// The bounds of heads and of the lines between chunks.
package enum HeadLimits {
    /// The most bytes of a head, with its empty line.
    package static let head = 65_536
    /// The most bytes of a request target.
    package static let target = 16_384
    /// The most bytes of a method.
    package static let method = 32
    /// The most fields of a head or of trailers.
    package static let fields = 128
    /// The most bytes of the extensions of one chunk.
    package static let chunkExtensions = 1024
    /// The most bytes of trailers.
    package static let trailers = 16_384
    /// The most hexadecimal digits of a chunk's size.
    package static let chunkDigits = 15
    /// The most decimal digits of a length.
    package static let lengthDigits = 18
    /// The most interim responses before one response.
    package static let interimResponses = 16
}
