internal import BigInt

/// The curves whose points are checked, all of cofactor 1: those of FIPS 186-4 D.1.2 that certificates use, and
/// secp256k1 (SEC 2 2.4.1).
package enum NamedCurve: String, CaseIterable, Sendable {
    case p224 = "P-224"
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case secp256k1

    /// The curve of this dotted identifier (RFC 5480 2.1.1.1, SEC 2 A.2.1).
    init?(identifier: String) {
        switch identifier {
        case "1.3.132.0.33": self = .p224
        case "1.2.840.10045.3.1.7": self = .p256
        case "1.3.132.0.34": self = .p384
        case "1.3.132.0.35": self = .p521
        case "1.3.132.0.10": self = .secp256k1
        default: return nil
        }
    }

    /// Bits of the field, the usual measure of a key's size.
    package var bits: Int {
        switch self {
        case .p224: 224
        case .p256, .secp256k1: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// Bytes of a coordinate.
    var coordinateBytes: Int { (bits + 7) / 8 }

    /// The prime, a, b, and the x of the generator.
    var numbers: CurveNumbers {
        switch self {
        case .p224: .p224
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .secp256k1: .secp256k1
        }
    }
}

/// What makes a named curve, y² = x³ + ax + b modulo a prime; FIPS 186-4 D.1.2.2 to D.1.2.5, SEC 2 2.4.1.
struct CurveNumbers: Sendable {
    let prime: BigUInt
    let a: BigUInt
    let b: BigUInt
    let generatorX: BigUInt

    /// Most significant word first; a is −3 unless it is given.
    private init(prime: BigUInt, a: BigUInt? = nil, b: [UInt], generatorX: [UInt]) {
        self.prime = prime
        self.a = a ?? prime - 3
        self.b = BigUInt(words: b.reversed())
        self.generatorX = BigUInt(words: generatorX.reversed())
    }

    static let p224 = CurveNumbers(
        prime: (1 << 224) - (1 << 96) + 1,
        b: [0xB405_0A85, 0x0C04_B3AB_F541_3256, 0x5044_B0B7_D7BF_D8BA, 0x270B_3943_2355_FFB4],
        generatorX: [0xB70E_0CBD, 0x6BB4_BF7F_3213_90B9, 0x4A03_C1D3_56C2_1122, 0x3432_80D6_115C_1D21]
    )

    static let p256 = CurveNumbers(
        prime: (1 << 256) - (1 << 224) + (1 << 192) + (1 << 96) - 1,
        b: [0x5AC6_35D8_AA3A_93E7, 0xB3EB_BD55_7698_86BC, 0x651D_06B0_CC53_B0F6, 0x3BCE_3C3E_27D2_604B],
        generatorX: [0x6B17_D1F2_E12C_4247, 0xF8BC_E6E5_63A4_40F2, 0x7703_7D81_2DEB_33A0, 0xF4A1_3945_D898_C296]
    )

    static let p384 = CurveNumbers(
        prime: (1 << 384) - (1 << 128) - (1 << 96) + (1 << 32) - 1,
        b: [
            0xB331_2FA7_E23E_E7E4, 0x988E_056B_E3F8_2D19, 0x181D_9C6E_FE81_4112, 0x0314_088F_5013_875A,
            0xC656_398D_8A2E_D19D, 0x2A85_C8ED_D3EC_2AEF,
        ],
        generatorX: [
            0xAA87_CA22_BE8B_0537, 0x8EB1_C71E_F320_AD74, 0x6E1D_3B62_8BA7_9B98, 0x59F7_41E0_8254_2A38,
            0x5502_F25D_BF55_296C, 0x3A54_5E38_7276_0AB7,
        ]
    )

    static let p521 = CurveNumbers(
        prime: (1 << 521) - 1,
        b: [
            0x51, 0x953E_B961_8E1C_9A1F, 0x929A_21A0_B685_40EE, 0xA2DA_725B_99B3_15F3, 0xB8B4_8991_8EF1_09E1,
            0x5619_3951_EC7E_937B, 0x1652_C0BD_3BB1_BF07, 0x3573_DF88_3D2C_34F1, 0xEF45_1FD4_6B50_3F00,
        ],
        generatorX: [
            0xC6, 0x858E_06B7_0404_E9CD, 0x9E3E_CB66_2395_B442, 0x9C64_8139_053F_B521, 0xF828_AF60_6B4D_3DBA,
            0xA14B_5E77_EFE7_5928, 0xFE1D_C127_A2FF_A8DE, 0x3348_B3C1_856A_429B, 0xF97E_7E31_C2E5_BD66,
        ]
    )

    static let secp256k1 = CurveNumbers(
        prime: (1 << 256) - (1 << 32) - 977,
        a: 0,
        b: [7],
        generatorX: [0x79BE_667E_F9DC_BBAC, 0x55A0_6295_CE87_0B07, 0x029B_FCDB_2DCE_28D9, 0x59F2_815B_16F8_1798]
    )
}
