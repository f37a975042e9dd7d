import PlatformImage

extension ThumbRecipe {
    /// The recipe with the metadata of an input, and with its profile if the thumbnail keeps it.
    func addingMetadata(of bytes: [UInt8]) throws(DecodeError) -> Self {
        guard encoding.metadataPolicy != .strip || profile == .keep else { return self }
        var recipe = self
        var reader = decoder
        if case .one(let page) = frames, try page < decoder.header(of: bytes).frameCount ?? 0 {
            reader.options.page = page
        }
        if encoding.metadataPolicy != .strip { recipe.encoding.metadata = try reader.metadata(of: bytes) }
        let (source, iccProfile) = try reader.sourceProfile(of: bytes.span)
        let output = format(for: try reader.header(of: bytes))
        guard
            ProfilePolicy.keepsProfile(
                of: source, requested: profile, metadata: encoding.metadataPolicy, format: output)
        else { return recipe }
        recipe.encoding.iccProfile = iccProfile
        recipe.decoder.options.convertsToSRGB = false
        // The camera's thumbnail has no profile and can be in another colour space.
        recipe.options.usesEmbeddedThumbnail = false
        return recipe
    }
}
