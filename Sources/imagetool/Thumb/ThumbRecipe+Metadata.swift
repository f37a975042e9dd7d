import PlatformImage

extension ThumbRecipe {
    /// The recipe with the profile of an input if the thumbnail keeps it.
    func addingProfile(of bytes: [UInt8]) throws(DecodeError) -> Self {
        guard encoding.metadataPolicy != .strip || profile == .keep else { return self }
        var recipe = self
        let reader = try metadataReader(bytes)
        let (source, iccProfile) = try reader.sourceProfile(of: bytes)
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

    /// An encoder for a thumbnail of this size, with the metadata of its input that the policy keeps.
    func encoder(
        for bytes: [UInt8], _ header: ImageHeader, width: Int, height: Int, _ cancellation: CancellationFlag?
    ) throws(DecodeError) -> ImageEncoder {
        var encoder = ImageEncoder(options: encoding)
        encoder.options.webp.usesLosslessUnlessLarger = header.colorModel == .indexed
        guard encoding.metadataPolicy != .strip else { return encoder }
        let request = PreparedMetadata.Request(
            policy: encoding.metadataPolicy, width: width, height: height, hasProfile: encoding.iccProfile != nil)
        encoder.options.preparedMetadata = try metadataReader(bytes).preparedMetadata(
            of: bytes, for: request, cancellation: cancellation)
        return encoder
    }

    /// The decoder of the selected page.
    func metadataReader(_ bytes: [UInt8]) throws(DecodeError) -> ImageDecoder {
        var reader = decoder
        if case .one(let page) = frames, try page < decoder.header(of: bytes).frameCount ?? 0 {
            reader.options.page = page
        }
        return reader
    }
}
