internal import WireFormat

/// The parts of a certificate that the walk to the key jumps over.
enum CertificateFrame {
    /// Checks version, identifiers, unique identifiers and the list of extensions; returns whether basic constraints say
    /// that the certificate is an authority's.
    static func check(_ walk: CertificateWalk, in bytes: Span<UInt8>) throws(CertificateError) -> Bool {
        var whole = DERReader(over: 0..<bytes.count)
        let outer = try whole.readElement(DERTag.sequence, in: bytes)
        var parts = DERReader(over: outer.contents)
        let toBeSigned = try parts.readElement(DERTag.sequence, in: bytes)
        try checkAlgorithm(walk.signatureAlgorithm, in: bytes)
        _ = try parts.readElement(DERTag.sequence, in: bytes)
        try checkBitString(try parts.readElement(DERTag.bitString, in: bytes), in: bytes)

        var fields = DERReader(over: toBeSigned.contents)
        if let version = try fields.readElement(ifTag: DERTag.explicit0, in: bytes) {
            var inside = DERReader(over: version.contents)
            let number = try inside.readElement(DERTag.integer, in: bytes)
            // Versions 1 to 3 are 0 to 2; version 1 must not be written, and some write it all the same.
            guard number.contents.count == 1, bytes[number.contents.lowerBound] <= 2 else {
                throw .invalidContents(offset: number.start)
            }
        }
        _ = try fields.readElement(DERTag.integer, in: bytes)
        try checkAlgorithm(try fields.readElement(DERTag.sequence, in: bytes).contents, in: bytes)
        // Issuer, validity and subject have been read.
        for _ in 0..<3 { _ = try fields.readElement(DERTag.sequence, in: bytes) }
        var key = DERReader(over: try fields.readElement(DERTag.sequence, in: bytes).contents)
        try checkAlgorithm(try key.readElement(DERTag.sequence, in: bytes).contents, in: bytes)
        try checkBitString(try key.readElement(DERTag.bitString, in: bytes), in: bytes)
        for number in [0x81, 0x82] as [UInt8] {
            if let identifier = try fields.readElement(ifTag: number, in: bytes) {
                try checkBitString(identifier, in: bytes)
            }
        }
        var isAuthority = false
        if let extensions = try fields.readElement(ifTag: DERTag.explicit3, in: bytes) {
            isAuthority = try readExtensions(extensions, in: bytes)
        }
        try fields.finish()
        return isAuthority
    }

    /// AlgorithmIdentifier: an identifier, and at most one element of parameters, which is NULL, an identifier or a
    /// sequence in every algorithm of X.509.
    static func checkAlgorithm(_ contents: Range<Int>, in bytes: Span<UInt8>) throws(CertificateError) {
        var reader = DERReader(over: contents)
        _ = try dottedIdentifier(&reader, in: bytes)
        guard !reader.isAtEnd else { return }
        var again = reader
        let parameters = try reader.readElement(in: bytes)
        try reader.finish()
        switch parameters.tag {
        case DERTag.null where parameters.contents.isEmpty, DERTag.sequence: return
        case DERTag.objectIdentifier: _ = try dottedIdentifier(&again, in: bytes)
        default: throw .invalidContents(offset: parameters.start)
        }
    }

    /// X.690 8.6.2 and 11.2.1: a count of unused bits up to seven, none without bytes, and these bits are zeros.
    static func checkBitString(_ element: DERElement, in bytes: Span<UInt8>) throws(CertificateError) {
        guard let unused = element.contents.first, bytes[unused] <= 7 else {
            throw .invalidBitString(offset: element.start)
        }
        let mask = UInt8(1) << bytes[unused] - 1
        guard mask == 0 || (element.contents.count > 1 && bytes[element.contents.upperBound - 1] & mask == 0) else {
            throw .invalidBitString(offset: element.start)
        }
    }

    private static func readExtensions(_ wrapper: DERElement, in bytes: Span<UInt8>) throws(CertificateError) -> Bool {
        var inside = DERReader(over: wrapper.contents)
        let list = try inside.readElement(DERTag.sequence, in: bytes)
        try inside.finish()
        var items = DERReader(over: list.contents)
        var isAuthority = false
        while !items.isAtEnd {
            let item = try items.readElement(DERTag.sequence, in: bytes)
            var parts = DERReader(over: item.contents)
            let identifier = try dottedIdentifier(&parts, in: bytes)
            if let critical = try parts.readElement(ifTag: DERTag.boolean, in: bytes) {
                try checkBoolean(critical, in: bytes)
            }
            let value = try parts.readElement(DERTag.octetString, in: bytes)
            try parts.finish()
            if identifier == "2.5.29.19" { isAuthority = try readBasicConstraints(value.contents, in: bytes) }
        }
        return isAuthority
    }

    // DEFAULT FALSE should not be written (X.690 11.5); some authorities do, and nothing depends on it.
    @discardableResult
    private static func checkBoolean(_ element: DERElement, in bytes: Span<UInt8>) throws(CertificateError) -> Bool {
        guard element.contents.count == 1 else { throw .invalidContents(offset: element.start) }
        let value = bytes[element.contents.lowerBound]
        guard value == 0 || value == 0xFF else { throw .invalidContents(offset: element.start) }
        return value != 0
    }

    private static func readBasicConstraints(
        _ contents: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> Bool {
        var outer = DERReader(over: contents)
        let sequence = try outer.readElement(DERTag.sequence, in: bytes)
        try outer.finish()
        var fields = DERReader(over: sequence.contents)
        var isAuthority = false
        if let flag = try fields.readElement(ifTag: DERTag.boolean, in: bytes) {
            isAuthority = try checkBoolean(flag, in: bytes)
        }
        if let length = try fields.readElement(ifTag: DERTag.integer, in: bytes) {
            try checkInteger(length.contents, in: bytes)
        }
        try fields.finish()
        return isAuthority
    }
}
