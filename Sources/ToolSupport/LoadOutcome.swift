import PlatformImage
package import PlatformImageLoader

/// Result of a load in HTTP terms: status, header fields and body.
package struct LoadOutcome: Sendable {
    /// Origin of the result.
    package enum Source: String, CaseIterable {
        /// The server sent the response.
        case network
        /// The server confirmed the stored response (304).
        case revalidated
        /// The decoded image was in the memory cache; no request was sent.
        case memory
        /// The response was in the disk cache; no request was sent.
        case disk
        /// The load failed without an HTTP response that explains the failure, such as after a network or decoding
        /// error.
        case error
    }

    /// Status of the final response; 504 when the request allowed only the caches and they had no usable entry (RFC
    /// 9111 §5.2.1.7); 0 without a response.
    package let status: Int
    package let source: Source
    package let isFresh: Bool
    /// Fields of the final response; `nil` when there is no response.
    package let fields: HeaderFields?
    /// Body after content decoding; empty without a body.
    package let bytes: [UInt8]
    /// Decoded image; `nil` for data requests and for failures.
    package let image: LoadedImage?
    /// The failure; also set when a stale response was returned because of this failure.
    package let error: LoadError?

    package init(_ image: LoadedImage) {
        self.init(
            image.status, image.source, isFresh: image.isFresh, image.fields, image.encodedData ?? [], image,
            image.staleReason)
    }

    package init(_ data: LoadedData) {
        self.init(data.status, data.source, isFresh: data.isFresh, data.fields, data.bytes, nil, data.staleReason)
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

    /// - Parameter acceptsAnyStatus: True when the caller handles every status, such as 302 for a redirect that is not
    ///   followed. `unexpectedStatus` is then not an error.
    package init(_ error: LoadError, acceptsAnyStatus: Bool) {
        let response = error.response
        status = response?.status ?? error.statusCode ?? (error.code == .notInCache ? 504 : 0)
        isFresh = false
        fields = response?.fields
        bytes = response?.body ?? []
        image = nil
        let hasResponse = [.http, .unexpectedStatus, .remembered].contains(error.code)
        // A failure that is repeated without a request (`remembered`) has the source `memory` or `disk` if its response
        // came from that cache; otherwise its source is `error`.
        switch (hasResponse ? response : nil)?.source {
        case .some(.memory): source = .memory
        case .some(.disk): source = .disk
        case .some where error.code != .remembered: source = .network
        default: source = .error
        }
        let isAccepted = acceptsAnyStatus && error.code == .unexpectedStatus && response != nil
        self.error = isAccepted ? nil : error
    }
}

extension ImageLoader {
    /// Loads an image; a failed load returns an outcome with ``LoadOutcome/error``.
    package func outcome(of request: ImageRequest) async -> LoadOutcome {
        do throws(LoadError) {
            return LoadOutcome(try await image(for: request))
        } catch {
            return LoadOutcome(error, acceptsAnyStatus: request.redirect == .manual || request.fields.isConditional)
        }
    }

    /// Loads data; a failed load returns an outcome with ``LoadOutcome/error``.
    package func outcome(of request: DataRequest) async -> LoadOutcome {
        do throws(LoadError) {
            return LoadOutcome(try await data(for: request))
        } catch {
            return LoadOutcome(error, acceptsAnyStatus: request.redirect == .manual || request.fields.isConditional)
        }
    }
}

extension HeaderFields {
    /// True for a range request or a request with preconditions from the caller (RFC 9110 §13.1, §14.2).
    fileprivate var isConditional: Bool {
        ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"].contains(
            where: contains)
    }
}
