#if Loader
internal import PlatformImage

extension ImageSlot {
    /// What a host asked the slot to show.
    struct Assignment: Sendable {
        var request: ImageRequest?
        var placeholder: PlatformImage?
        var stillValid: (@Sendable () -> Bool)?
    }

    /// The slot's state machine. Whatever comes from a load carries the number of its assignment; ``number`` moves on
    /// with each assignment and each release, so that what belongs to an earlier one is told by its number.
    struct Storage: Sendable {
        var cancelsPrevious: Bool
        var isVisible = true
        private(set) var isBusy = false
        private(set) var isReleased = false
        private(set) var number: UInt64 = 0
        private(set) var assignment = Assignment()
        private(set) var state = State.empty
        /// The load of the last assignment that had one.
        var task: Task<Void, Never>?
        var observers: [UInt64: AsyncStream<State>.Continuation] = [:]
        var lastObserver: UInt64 = 0

        init(cancelsPrevious: Bool) { self.cancelsPrevious = cancelsPrevious }

        var showsPicture: Bool { if case .image = state { true } else { false } }

        mutating func begin(_ assignment: Assignment) {
            number += 1
            self.assignment = assignment
            isBusy = false
            isReleased = false
            task = nil
        }

        mutating func show(_ state: State) {
            self.state = state
            observers.values.forEach { $0.yield(state) }
        }

        mutating func showPlaceholder(of number: UInt64) {
            guard number == self.number else { return }
            show(assignment.placeholder.map { .placeholder($0) } ?? .empty)
        }

        /// Drops a picture that could be had again.
        mutating func release() {
            switch state {
            case .image, .failed(_, .some, _): break
            default: return
            }
            number += 1
            isBusy = false
            isReleased = true
            showPlaceholder(of: number)
        }

        /// - Parameter picture: What to show of the event; nil when it brings none, or the one that is shown.
        mutating func apply(_ event: LoadEvent, picture: PlatformImage?, isVetoed: Bool) {
            switch event {
            case .cached(let image):
                if let picture { showPicture(picture, of: image) }
            case .sendingRequest:
                guard !showsPicture else { return }
                isBusy = true
                showProgress(0, nil)
            case .progress(let received, let expected):
                if case .loading = state { showProgress(received, expected) }
            case .retrying:
                if case .loading = state { showProgress(0, nil) }
            case .finished(let result):
                isBusy = false
                task = nil
                finish(result, picture: picture, isVetoed: isVetoed)
            }
        }

        private mutating func finish(_ result: Result<LoadedImage, LoadError>, picture: PlatformImage?, isVetoed: Bool)
        {
            if isVetoed {
                if case .loading = state { showPlaceholder(of: number) }
                return
            }
            switch (result, state) {
            case (.success(let image), .image(let bitmap, _, let isFresh, _)) where picture == nil:
                if isFresh != image.isFresh { showPicture(bitmap, of: image) }
            case (.success(let image), _):
                if let picture { showPicture(picture, of: image) }
            case (.failure(let error), .image(let bitmap, _, _, _)):
                show(.failed(error, lastImage: bitmap, placeholder: assignment.placeholder))
            case (.failure(let error), _):
                show(.failed(error, lastImage: nil, placeholder: assignment.placeholder))
            }
        }

        private mutating func showPicture(_ picture: PlatformImage, of image: LoadedImage) {
            show(.image(picture, source: image.source, isFresh: image.isFresh, isImmediate: false))
        }

        private mutating func showProgress(_ received: Int, _ expected: Int?) {
            show(.loading(received: received, expected: expected, placeholder: assignment.placeholder))
        }
    }
}

extension LoadEvent {
    /// True for what `stillValid` may veto.
    var isResult: Bool {
        switch self {
        case .cached, .finished: true
        default: false
        }
    }

    /// True for the end.
    var isLast: Bool { if case .finished = self { true } else { false } }

    /// The picture that this brings.
    var picture: LoadedImage? {
        switch self {
        case .cached(let image), .finished(.success(let image)): image
        default: nil
        }
    }
}
#endif
