/// The properties of XMP that a policy removes, by namespace and local name.
struct XMPRules {
    private let policy: MetadataPolicy

    init(_ policy: MetadataPolicy) { self.policy = policy }

    /// The meaning of a namespace: ISO 16684-1, XMP specification part 2, IPTC photo metadata standard, PLUS, ccREL.
    enum Vocabulary {
        case namespaces, xml, rdf, meta
        case dublinCore, xmp, rights, mediaManagement, resourceEvent, resourceReference, photoshop, cameraRaw
        case lightroom, auxiliary, tiff, exif, exifEX, iptcCore, iptcExtension, plus, creativeCommons
        /// Parts of the packet that are in other segments.
        case note
        /// Directories of additional images, panorama geometry and positions in the file of the source.
        case sourceImages
        /// No namespace.
        case none
        case unknown

        /// The vocabulary of an address; its time is linear in the address.
        init(address: [UInt8]) {
            if address.isEmpty {
                self = .none
            } else if let known = Self.addresses[address] {  // trap-free: a dictionary
                self = known
            } else {
                self = Self.sourceImageAddresses.contains { address.starts(with: $0) } ? .sourceImages : .unknown
            }
        }

        private static let addresses: [[UInt8]: Self] = [
            Array("http://www.w3.org/2000/xmlns/".utf8): .namespaces,
            Array("http://www.w3.org/XML/1998/namespace".utf8): .xml,
            Array("http://www.w3.org/1999/02/22-rdf-syntax-ns#".utf8): .rdf,
            Array("adobe:ns:meta/".utf8): .meta,
            Array("http://purl.org/dc/elements/1.1/".utf8): .dublinCore,
            Array("http://ns.adobe.com/xap/1.0/".utf8): .xmp,
            Array("http://ns.adobe.com/xap/1.0/rights/".utf8): .rights,
            Array("http://ns.adobe.com/xmp/note/".utf8): .note,
            Array("http://ns.adobe.com/xap/1.0/mm/".utf8): .mediaManagement,
            Array("http://ns.adobe.com/xap/1.0/sType/ResourceEvent#".utf8): .resourceEvent,
            Array("http://ns.adobe.com/xap/1.0/sType/ResourceRef#".utf8): .resourceReference,
            Array("http://ns.adobe.com/photoshop/1.0/".utf8): .photoshop,
            Array("http://ns.adobe.com/camera-raw-settings/1.0/".utf8): .cameraRaw,
            Array("http://ns.adobe.com/lightroom/1.0/".utf8): .lightroom,
            Array("http://ns.adobe.com/exif/1.0/aux/".utf8): .auxiliary,
            Array("http://ns.adobe.com/tiff/1.0/".utf8): .tiff,
            Array("http://ns.adobe.com/exif/1.0/".utf8): .exif,
            Array("http://cipa.jp/exif/1.0/".utf8): .exifEX,
            Array("http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/".utf8): .iptcCore,
            Array("http://iptc.org/std/Iptc4xmpExt/2008-02-29/".utf8): .iptcExtension,
            Array("http://ns.useplus.org/ldf/xmp/1.0/".utf8): .plus,
            Array("http://creativecommons.org/ns#".utf8): .creativeCommons,
        ]
        /// All namespaces with these beginnings.
        private static let sourceImageAddresses = [
            "http://ns.google.com/photos/", "http://ns.adobe.com/hdr-gain-map/", "http://ns.apple.com/",
        ].map { Array($0.utf8) }
    }

    /// True for the names of the syntax: they are not properties.
    func isFormal(_ vocabulary: Vocabulary, _ name: [UInt8]) -> Bool {
        switch vocabulary {
        case .rdf, .meta, .xml, .namespaces: true
        // RDF/XML of 1999, without prefixes.
        case .none: Self.formalNames.contains(name)
        default: false
        }
    }

    /// True when a policy removes a property.
    ///
    /// - Parameter isField: True for a part of another property, which the policy keeps.
    func removes(_ vocabulary: Vocabulary, _ name: [UInt8], isField: Bool) -> Bool {
        if isFormal(vocabulary, name) { return false }
        if describesSource(vocabulary, name) { return true }
        switch policy {
        case .strip: return true
        case .copyright: return isLocation(vocabulary, name) || !isField && !isCopyright(vocabulary, name)
        case .withoutLocation: return isLocation(vocabulary, name) || [.none, .unknown].contains(vocabulary)
        case .all: return false
        }
    }

    /// True for a property about the pixels of the source, its embedded images, or parts of the packet in other
    /// segments.
    private func describesSource(_ vocabulary: Vocabulary, _ name: [UInt8]) -> Bool {
        switch vocabulary {
        case .tiff: Self.tiffStorage.contains(name)
        case .exif, .exifEX: Self.exifStorage.contains(name)
        case .xmp: name == Array("Thumbnails".utf8)
        case .photoshop: name == Array("ColorMode".utf8) || name == Array("ICCProfile".utf8)
        case .note, .sourceImages: true
        default: false
        }
    }

    private func isCopyright(_ vocabulary: Vocabulary, _ name: [UInt8]) -> Bool {
        switch vocabulary {
        case .rights, .plus, .creativeCommons: true
        case .dublinCore: name == Array("rights".utf8) || name == Array("creator".utf8)
        case .photoshop: name == Array("Credit".utf8)
        default: false
        }
    }

    private func isLocation(_ vocabulary: Vocabulary, _ name: [UInt8]) -> Bool {
        switch vocabulary {
        case .photoshop where Self.photoshopPlaces.contains(name): return true
        case .iptcCore where name == Array("CountryCode".utf8): return true
        case .iptcExtension where Self.placeFields.contains(name): return true
        // Keywords with their parents, such as `Places|France|Paris`.
        case .lightroom where Self.hierarchicalKeywords.contains(name.map(\.lowercasedASCII)): return true
        default: break
        }
        return Self.containsPlaceWord(name)
    }

    /// True when a name contains one of ``placeWords``, in upper or lower case.
    private static func containsPlaceWord(_ name: [UInt8]) -> Bool {
        var cursor = ByteCursor(name.span)
        let lowercase = name.map(\.lowercasedASCII)
        while !cursor.isAtEnd {
            if placeWords.contains(where: { cursor.starts(with: $0, lowercase.span) }) { return true }
            cursor.skip(1)
        }
        return false
    }

    private static let formalNames = names(["about", "ID", "resource", "parseType"])
    private static let photoshopPlaces = names(["City", "State", "Country"])
    private static let hierarchicalKeywords = names(["hierarchicalsubject", "weightedflatsubject"])
    private static let placeWords = names(["gps", "latitude", "longitude", "altitude", "location"])
    private static let placeFields = names([
        "City", "CountryCode", "CountryName", "ProvinceState", "Sublocation", "WorldRegion",
    ])
    private static let tiffStorage = names([
        "Orientation", "ImageWidth", "ImageLength", "ImageHeight", "BitsPerSample", "Compression",
        "PhotometricInterpretation", "SamplesPerPixel", "PlanarConfiguration", "YCbCrSubSampling", "YCbCrPositioning",
        "YCbCrCoefficients", "TransferFunction", "WhitePoint", "PrimaryChromaticities", "ReferenceBlackWhite",
        "NativeDigest",
    ])
    private static let exifStorage = names([
        "PixelXDimension", "PixelYDimension", "ColorSpace", "ComponentsConfiguration", "CompressedBitsPerPixel",
        "SubjectArea", "SubjectLocation", "Gamma", "NativeDigest", "InteroperabilityIndex",
    ])

    private static func names(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}
