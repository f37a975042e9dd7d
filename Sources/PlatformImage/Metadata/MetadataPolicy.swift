/// The metadata of the source that an encoded file contains.
///
/// Under every policy, EXIF and XMP contain nothing that describes the pixels of the source instead of those of the
/// file: no orientation (the pixels are upright), no embedded thumbnail, no gain map, and the new size and colour
/// space. A minor version may add cases: a `switch` in another package needs `@unknown default`.
@nonexhaustive
public enum MetadataPolicy: String, CaseIterable, Sendable {
    /// No metadata.
    case strip
    /// Copyright, author, credit and licence only.
    ///
    /// EXIF Artist and Copyright; IPTC by-line (2:80), credit (2:110) and copyright notice (2:116); in XMP dc:rights,
    /// dc:creator, photoshop:Credit, and the properties of xmpRights, PLUS and Creative Commons.
    case copyright
    /// Everything except the place where the image was made or that it shows.
    ///
    /// Removes the GPS IFD, the GPS properties and place names of XMP and IPTC, and everything whose meaning is not
    /// known, such as maker notes and XMP properties of vendors, because it can contain a position. Text that people
    /// wrote, such as captions and keywords, is kept.
    case withoutLocation = "no-location"
    /// EXIF with maker notes, XMP and IPTC.
    case all
}
