/// Reads chunks and trailers strictly (RFC 9112 section 7.1): every line ends with CR LF, and nothing is guessed.
struct ChunkReader {
    private enum State {
        case size
        case extensions
        case sizeEnd
        case data
        case dataEnd
        case dataLineFeed
        /// The first byte of a line of the trailers.
        case trailer
        case trailerName
        case trailerValue
        case trailerLineFeed
        case lastLineFeed
        case ended
    }

    private var state = State.size
    /// The size as far as it is read, then the bytes that are left of the chunk.
    private var left = 0
    private var digits = 0
    /// The bytes of this chunk's extensions, or of the trailers.
    private var lineBytes = 0
    private var trailers = 0
    private var name: [UInt8] = []

    var isAtEnd: Bool { state == .ended }

    /// Takes bytes up to the end of the body, and calls `data` with the ranges of the chunks' data.
    mutating func take(_ bytes: Span<UInt8>, data: (Range<Int>) -> Void) throws(HeadDefect) -> Int {
        var index = 0
        while index < bytes.count, state != .ended {
            if state == .data {
                let count = min(left, bytes.count - index)
                data(index..<index + count)
                left -= count
                index += count
                if left == 0 { state = .dataEnd }
                continue
            }
            let byte = bytes[index]
            index += 1
            switch state {
            case .size, .extensions, .sizeEnd: try takeSize(byte)
            case .dataEnd: state = try expect(0x0D, byte, .dataLineFeed)
            case .dataLineFeed:
                state = try expect(0x0A, byte, .size)
                (left, digits, lineBytes) = (0, 0, 0)
            default: try takeTrailer(byte)
            }
        }
        return index
    }

    private mutating func takeSize(_ byte: UInt8) throws(HeadDefect) {
        switch state {
        case .size:
            if let value = byte.hexadecimalValue {
                digits += 1
                guard digits <= HeadLimits.chunkDigits else { throw .chunk }
                left = left << 4 | value
            } else if digits > 0, byte == 0x0D {
                state = .sizeEnd
            } else if digits > 0, byte == UInt8(ascii: ";") {
                state = .extensions
            } else {
                throw .chunk
            }
        case .extensions:
            lineBytes += 1
            guard lineBytes <= HeadLimits.chunkExtensions else { throw .chunk }
            if byte == 0x0D { state = .sizeEnd } else if !byte.isFieldByte { throw .chunk }
        default:
            state = try expect(0x0A, byte, left == 0 ? .trailer : .data)
            lineBytes = 0
        }
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(HeadDefect) {
        lineBytes += 1
        guard lineBytes <= HeadLimits.trailers else { throw .trailer }
        switch state {
        case .trailer:
            if byte == 0x0D {
                state = .lastLineFeed
                return
            }
            guard byte.isToken, trailers < HeadLimits.fields else { throw .trailer }
            trailers += 1
            name = [byte]
            state = .trailerName
        case .trailerName:
            if byte.isToken {
                name.append(byte)
            } else {
                guard byte == UInt8(ascii: ":"), Self.mayBeTrailer(name) else { throw .trailer }
                state = .trailerValue
            }
        case .trailerValue:
            if byte == 0x0D { state = .trailerLineFeed } else if !byte.isFieldByte { throw .trailer }
        case .trailerLineFeed:
            guard byte == 0x0A else { throw .trailer }
            state = .trailer
        default:
            guard byte == 0x0A else { throw .trailer }
            state = .ended
        }
    }

    private func expect(_ wanted: UInt8, _ byte: UInt8, _ next: State) throws(HeadDefect) -> State {
        guard byte == wanted else { throw .chunk }
        return next
    }

    /// RFC 9110 section 6.5.1: fields about framing, routing and authentication are no trailers. The fields of one hop are not
    /// passed on, and trailers are passed on as they come.
    private static func mayBeTrailer(_ name: [UInt8]) -> Bool {
        if KnownField(name.span, 0..<name.count) != nil { return false }
        return !forbidden.contains(name.map(\.lowercased))
    }

    private static let forbidden: Set<[UInt8]> = Set(
        [
            "authorization", "cache-control", "content-encoding", "content-range", "content-type", "cookie",
            "max-forwards",
            "range", "set-cookie", "trailer", "www-authenticate",
        ].map { Array($0.utf8) }
    )
}
