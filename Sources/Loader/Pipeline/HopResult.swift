#if Loader
internal import PlatformImage

/// How a hop of a load ends.
enum HopResult: Sendable {
    case answer(LoadAnswer)
    /// A redirect to follow.
    case redirect(ResponseHead)

    /// The end of a hop whose response points elsewhere: the next hop, or the response itself for a caller that wants it.
    ///
    /// - Throws: `unexpectedStatus` for a redirect that is not to be followed and no image.
    init(redirect response: FailedResponse, isStored: Bool, source: LoadSource, _ load: Load) throws(LoadError) {
        guard load.redirect == .manual else {
            self = .redirect(ResponseHead(status: response.status, fields: response.fields))
            return
        }
        guard load.decoding == nil else {
            let error = LoadError(
                .unexpectedStatus, url: Redaction.shown(load.url), statusCode: response.status,
                "status \(response.status), a redirect that is not to be followed")
            throw error.about(response)
        }
        self = .answer(
            LoadAnswer(
                content: LoadContent(bytes: response.body), source: source, isFresh: true, isStored: isStored,
                status: response.status, fields: response.fields))
    }
}
#endif
