/// The properties of XMP that a policy removes, by namespace and local name.
struct XMPRules {
    private let policy: MetadataPolicy

    init(_ policy: MetadataPolicy) { self.policy = policy }

    /// Addresses of namespaces: ISO 16684-1, XMP specification part 2, IPTC photo metadata standard, PLUS, ccREL.
    enum Address {
        static let namespaces = "http://www.w3.org/2000/xmlns/"
        static let xml = "http://www.w3.org/XML/1998/namespace"
        static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        static let meta = "adobe:ns:meta/"
        static let dublinCore = "http://purl.org/dc/elements/1.1/"
        static let xmp = "http://ns.adobe.com/xap/1.0/"
        static let rights = "http://ns.adobe.com/xap/1.0/rights/"
        static let note = "http://ns.adobe.com/xmp/note/"
        static let mediaManagement = "http://ns.adobe.com/xap/1.0/mm/"
        static let resourceEvent = "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#"
        static let resourceReference = "http://ns.adobe.com/xap/1.0/sType/ResourceRef#"
        static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
        static let cameraRaw = "http://ns.adobe.com/camera-raw-settings/1.0/"
        static let lightroom = "http://ns.adobe.com/lightroom/1.0/"
        static let auxiliary = "http://ns.adobe.com/exif/1.0/aux/"
        static let tiff = "http://ns.adobe.com/tiff/1.0/"
        static let exif = "http://ns.adobe.com/exif/1.0/"
        static let exifEX = "http://cipa.jp/exif/1.0/"
        static let iptcCore = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
        static let iptcExtension = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
        static let plus = "http://ns.useplus.org/ldf/xmp/1.0/"
        static let creativeCommons = "http://creativecommons.org/ns#"
        /// Directories of additional images, panorama geometry and positions in the file of the source.
        static let google = "http://ns.google.com/photos/"
        static let gainMap = "http://ns.adobe.com/hdr-gain-map/"
        static let apple = "http://ns.apple.com/"
    }

    /// True for the names of the syntax: they are not properties.
    func isFormal(_ address: String, _ name: String) -> Bool {
        switch address {
        case Address.rdf, Address.meta, Address.xml, Address.namespaces: true
        // RDF/XML of 1999, without prefixes.
        case "": ["about", "ID", "resource", "parseType"].contains(name)
        default: false
        }
    }

    /// True when a policy removes a property.
    ///
    /// - Parameter isField: True for a part of another property, which the policy keeps.
    func removes(_ address: String, _ name: String, isField: Bool) -> Bool {
        if isFormal(address, name) { return false }
        if describesSource(address, name) { return true }
        switch policy {
        case .strip: return true
        case .copyright: return isLocation(address, name) || !isField && !isCopyright(address, name)
        case .withoutLocation: return isLocation(address, name) || !Self.knownAddresses.contains(address)
        case .all: return false
        }
    }

    /// True for a property about the pixels of the source, its embedded images, or parts of the packet in other
    /// segments.
    private func describesSource(_ address: String, _ name: String) -> Bool {
        switch address {
        case Address.tiff: Self.tiffStorage.contains(name)
        case Address.exif, Address.exifEX: Self.exifStorage.contains(name)
        case Address.xmp: name == "Thumbnails"
        case Address.photoshop: name == "ColorMode" || name == "ICCProfile"
        case Address.note: true
        default:
            address.hasPrefix(Address.google) || address.hasPrefix(Address.gainMap) || address.hasPrefix(Address.apple)
        }
    }

    private func isCopyright(_ address: String, _ name: String) -> Bool {
        switch address {
        case Address.rights, Address.plus, Address.creativeCommons: true
        case Address.dublinCore: name == "rights" || name == "creator"
        case Address.photoshop: name == "Credit"
        default: false
        }
    }

    private func isLocation(_ address: String, _ name: String) -> Bool {
        if address == Address.photoshop, ["City", "State", "Country"].contains(name) { return true }
        if address == Address.iptcCore, name == "CountryCode" { return true }
        if address == Address.iptcExtension, Self.placeFields.contains(name) { return true }
        let lowercase = name.lowercased()
        return Self.placeWords.contains { lowercase.contains($0) }
    }

    private static let knownAddresses: Set = [
        Address.dublinCore, Address.xmp, Address.rights, Address.mediaManagement, Address.resourceEvent,
        Address.resourceReference, Address.photoshop, Address.cameraRaw, Address.lightroom, Address.auxiliary,
        Address.tiff, Address.exif, Address.exifEX, Address.iptcCore, Address.iptcExtension, Address.plus,
        Address.creativeCommons,
    ]
    private static let placeWords = ["gps", "latitude", "longitude", "altitude", "location"]
    private static let placeFields: Set = [
        "City", "CountryCode", "CountryName", "ProvinceState", "Sublocation", "WorldRegion",
    ]
    private static let tiffStorage: Set = [
        "Orientation", "ImageWidth", "ImageLength", "ImageHeight", "BitsPerSample", "Compression",
        "PhotometricInterpretation", "SamplesPerPixel", "PlanarConfiguration", "YCbCrSubSampling", "YCbCrPositioning",
        "YCbCrCoefficients", "TransferFunction", "WhitePoint", "PrimaryChromaticities", "ReferenceBlackWhite",
        "NativeDigest",
    ]
    private static let exifStorage: Set = [
        "PixelXDimension", "PixelYDimension", "ColorSpace", "ComponentsConfiguration", "CompressedBitsPerPixel",
        "SubjectArea", "SubjectLocation", "Gamma", "NativeDigest", "InteroperabilityIndex",
    ]
}
