#if Tool && AsyncHTTPClient
package import PlatformImageLoader
import PlatformImage

/// What a load came to, in the words of HTTP-minded programs.
package struct LoadOutcome: Sendable {
    /// What the origin has seen of the load.
    package enum Source: String, CaseIterable {
        /// It sent the response now.
        case network
        /// It answered that what is stored is still good (304).
        case revalidated
        /// Nothing: the decoded picture was in memory.
        case memory
        /// Nothing: the response was on disk.
        case disk
        /// There is no answer, or none that is accepted.
        case error
    }

    /// Of the final response; 504 when only the cache was asked and had nothing (RFC 9111 §5.2.1.7), 0 without a
    /// response.
    package let status: Int
    package let source: Source
    package let isFresh: Bool
    /// Nil when there is no response to show.
    package let fields: HeaderFields?
    /// The content without its codings; empty when there is none.
    package let bytes: [UInt8]
    /// Nil for bytes that nobody asked to decode, and for failures.
    package let image: LoadedImage?
    /// The failure; also one in the place of which a stale answer is given.
    package let error: LoadError?

    package init(_ image: LoadedImage) {
        self.init(
            image.status, image.source, isFresh: image.isFresh, image.fields, image.encodedData ?? [], image,
            image.insteadOf)
    }

    package init(_ data: LoadedData) {
        self.init(data.status, data.source, isFresh: data.isFresh, data.fields, data.bytes, nil, data.insteadOf)
    }

    private init(
        _ status: Int, _ source: LoadSource, isFresh: Bool, _ fields: HeaderFields, _ bytes: [UInt8],
        _ image: LoadedImage?, _ error: LoadError?
    ) {
        self.status = status
        self.isFresh = isFresh
        self.fields = fields
        self.bytes = bytes
        self.image = image
        self.error = error
        self.source =
            switch source {
            case .none: .error
            case .memory: .memory
            case .disk: .disk
            case .networkNotModified: .revalidated
            case .networkToDisk: .network
            }
    }

    /// - Parameter takesAnyStatus: True when the caller wanted whatever the origin answers, such as a redirect that is
    ///   not followed: then that is no failure.
    package init(_ error: LoadError, takesAnyStatus: Bool) {
        let response = error.response
        status = response?.status ?? error.statusCode ?? (error.code == .notInCache ? 504 : 0)
        isFresh = false
        fields = response?.fields
        bytes = response?.body ?? []
        image = nil
        let isAnswer = [.http, .unexpectedStatus, .remembered].contains(error.code)
        // What is remembered has a source only if it is stored, and then by its own freshness.
        switch (isAnswer ? response : nil)?.source {
        case .some(.memory): source = .memory
        case .some(.disk): source = .disk
        case .some where error.code != .remembered: source = .network
        default: source = .error
        }
        let isWanted = takesAnyStatus && error.code == .unexpectedStatus && response != nil
        self.error = isWanted ? nil : error
    }
}

extension ImageLoader {
    /// Loads a picture.
    package func outcome(of request: ImageRequest) async -> LoadOutcome {
        do throws(LoadError) {
            return LoadOutcome(try await image(for: request))
        } catch {
            return LoadOutcome(error, takesAnyStatus: request.redirect == .manual || request.fields.isConditional)
        }
    }

    /// Loads any bytes.
    package func outcome(of request: DataRequest) async -> LoadOutcome {
        do throws(LoadError) {
            return LoadOutcome(try await data(for: request))
        } catch {
            return LoadOutcome(error, takesAnyStatus: request.redirect == .manual || request.fields.isConditional)
        }
    }
}

extension HeaderFields {
    /// True when the caller asks for a part, or under a condition of its own (RFC 9110 §13.1, §14.2).
    fileprivate var isConditional: Bool {
        ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"].contains(
            where: contains)
    }
}
#endif
