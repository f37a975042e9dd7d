#if Service
extension ServiceConfiguration {
    /// A page at `/gallery` that shows pictures with the place that each came from, tells how full the caches are and
    /// empties them: for looking at a service, not for one that strangers reach.
    public struct Gallery: Hashable, Sendable {
        /// One picture of the page.
        public struct Picture: Hashable, Sendable {
            /// As it stands at the end of a target, not encoded: an address, or the path of a file below
            /// ``ServiceConfiguration/Source/fileRoot``.
            public var source: String
            /// What people read: the text beside the picture and instead of it.
            public var name: String

            /// A picture of the page.
            public init(source: String, name: String) {
                self.source = source
                self.name = name
            }
        }

        /// In the order of the page.
        public var pictures: [Picture]

        /// A page of these pictures.
        public init(pictures: [Picture]) { self.pictures = pictures }
    }
}
#endif
