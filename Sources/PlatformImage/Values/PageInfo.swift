/// Size and kind of a page of a TIFF, read without decoding its pixels.
public struct PageInfo: Hashable, Sendable {
    /// Pixels in a row, as stored; 0 when the file does not contain the number.
    public let width: Int
    /// Rows, as stored; 0 when the file does not contain the number.
    public let height: Int
    /// True for a reduced-resolution version of another image of the file, such as a thumbnail.
    public let isReduced: Bool
    /// True for a page that is the SubIFD (tag 330) of another page, false for a page of the chain of IFDs.
    public let isSubIFD: Bool
}
