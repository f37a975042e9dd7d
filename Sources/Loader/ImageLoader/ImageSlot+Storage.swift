internal import PlatformImage

extension ImageSlot {
    /// The parameters of one ``ImageSlot/assign(_:placeholder:stillValid:)`` call.
    struct Assignment: Sendable {
        var request: ImageRequest?
        var placeholder: PlatformImage?
        var stillValid: (@Sendable () -> Bool)?
    }

    /// The slot's state machine. ``number`` increases with each assignment and each release; results of a load have the
    /// number of their assignment, so that outdated results are detected.
    struct Storage: Sendable {
        var cancelsPrevious: Bool
        var isVisible = true
        private(set) var isBusy = false
        private(set) var isReleased = false
        private(set) var number: UInt64 = 0
        private(set) var assignment = Assignment()
        private(set) var state = State.empty
        /// The running load of the current assignment; nil when there is none.
        var task: Task<Void, Never>?
        var observers: [UInt64: AsyncStream<State>.Continuation] = [:]
        var lastObserver: UInt64 = 0

        init(cancelsPrevious: Bool) { self.cancelsPrevious = cancelsPrevious }

        var showsImage: Bool { if case .image = state { true } else { false } }

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

        /// Discards an image that can be loaded again.
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

        /// Applies one event of the current load.
        ///
        /// - Parameter newBitmap: The bitmap to show; nil when the event has no bitmap or its bitmap is already shown.
        mutating func apply(_ event: LoadEvent, newBitmap: PlatformImage?, isVetoed: Bool) {
            switch event {
            case .cached(let image):
                if let newBitmap { showImage(newBitmap, of: image) }
            case .sendingRequest:
                guard !showsImage else { return }
                isBusy = true
                showProgress(0, nil)
            case .progress(let received, let expected):
                if case .loading = state { showProgress(received, expected) }
            case .retrying:
                if case .loading = state { showProgress(0, nil) }
            case .finished(let result):
                isBusy = false
                task = nil
                finish(result, newBitmap: newBitmap, isVetoed: isVetoed)
            }
        }

        private mutating func finish(
            _ result: Result<LoadedImage, LoadError>, newBitmap: PlatformImage?, isVetoed: Bool
        ) {
            if isVetoed {
                if case .loading = state { showPlaceholder(of: number) }
                return
            }
            switch (result, state) {
            case (.success(let image), .image(let bitmap, _, let isFresh, _)) where newBitmap == nil:
                if isFresh != image.isFresh { showImage(bitmap, of: image) }
            case (.success(let image), _):
                if let newBitmap { showImage(newBitmap, of: image) }
            case (.failure(let error), .image(let bitmap, _, _, _)):
                show(.failed(error, lastImage: bitmap, placeholder: assignment.placeholder))
            case (.failure(let error), _):
                show(.failed(error, lastImage: nil, placeholder: assignment.placeholder))
            }
        }

        private mutating func showImage(_ newBitmap: PlatformImage, of image: LoadedImage) {
            show(.image(newBitmap, source: image.source, isFresh: image.isFresh, isImmediate: false))
        }

        private mutating func showProgress(_ received: Int, _ expected: Int?) {
            show(.loading(received: received, expected: expected, placeholder: assignment.placeholder))
        }
    }
}

extension LoadEvent {
    /// True for events that `stillValid` can veto.
    var isResult: Bool {
        switch self {
        case .cached, .finished: true
        default: false
        }
    }

    /// True for the last event of a load.
    var isLast: Bool { if case .finished = self { true } else { false } }

    /// The image of this event; nil for none.
    var image: LoadedImage? {
        switch self {
        case .cached(let image), .finished(.success(let image)): image
        default: nil
        }
    }
}
