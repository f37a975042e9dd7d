#if Service
/// What the service calls itself.
enum ServiceIdentity {
    /// Raised whenever pixels or encoder settings change, so that what older versions stored no longer answers.
    static let renderVersion = 3
    /// In the Server field and in requests to origins.
    static let name = "imagetool"
}
#endif
