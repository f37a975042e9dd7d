import PlatformImage
import PlatformImageToolSupport
import Synchronization

/// Parses the options of `thumb` requests as the command line of `imagetool thumb`, and reuses the recipes of the last
/// different options: parsing takes longer than the rest of a small request, and a recipe caches
/// colour transforms.
final class WorkerRecipes: Sendable {
    private enum Kind { case flag, integer, text, frame }

    /// Long options of `thumb` that a request can contain.
    private static let kinds: [String: Kind] = [
        "fit": .text, "gravity": .text, "crop": .text, "filter": .text, "linear": .flag, "enlarge": .flag,
        "pad": .flag, "background": .text, "no-rotate": .flag, "frame": .frame, "embedded": .flag, "accuracy": .text,
        "quality": .integer, "webp-lossless": .flag, "webp-effort": .text, "max-bytes": .integer, "metadata": .text,
        "profile": .text,
    ]
    /// Maximum number of recipes that are kept; then all are discarded.
    private static let maxCount = 64

    private let isolation: DecodeIsolation
    private let recipes = Mutex<[[String]: ThumbRecipe]>([:])

    init(isolation: DecodeIsolation) { self.isolation = isolation }

    /// The recipe of a request.
    ///
    /// - Throws: `invalidRequest`.
    func recipe(size: String, _ options: [(String, JSON)], format: String?) throws(Failure) -> ThumbRecipe {
        var arguments = ["--size=\(size)", "--format=\(format ?? "auto")"]
        for (name, value) in options {
            if let argument = try Self.argument(name, value) { arguments.append(argument) }
        }
        if let recipe = recipes.locked(in: self, { $0[arguments] }) { return recipe }
        let recipe = try parsed(arguments)
        recipes.locked(in: self) { recipes in
            if recipes.count >= Self.maxCount { recipes = [:] }
            recipes[arguments] = recipe
        }
        return recipe
    }

    private func parsed(_ arguments: [String]) throws(Failure) -> ThumbRecipe {
        var recipe: ThumbRecipe
        do {
            guard let first = try ThumbOptions.parse(arguments).recipes().first else {
                throw Failure.invalidRequest("ops is missing")
            }
            recipe = first
        } catch let failure as Failure {
            throw failure
        } catch let error as ValidationError {
            throw .invalidRequest(error.message)
        } catch {
            throw .invalidRequest(ThumbOptions.message(for: error))
        }
        if let problem = recipe.formatProblem { throw .invalidRequest(problem) }
        recipe.decoder.isolation = isolation
        return recipe
    }

    /// The option as an argument of the command line; `nil` for a flag that is false.
    private static func argument(_ name: String, _ value: JSON) throws(Failure) -> String? {
        guard let kind = kinds[name] else { throw .invalidRequest("unknown option \(name)") }
        switch kind {
        case .flag:
            guard let flag = value.bool else { throw .invalidRequest("\(name) must be true or false") }
            return flag ? "--\(name)" : nil
        case .integer:
            guard let number = value.integer else { throw .invalidRequest("\(name) must be an integer") }
            return "--\(name)=\(number)"
        case .frame:
            if let number = value.integer { return "--frame=\(number)" }
            guard value.string == "all" else { throw .invalidRequest("frame must be an integer or all") }
            return "--frame=all"
        case .text:
            guard let text = value.string else { throw .invalidRequest("\(name) must be a string") }
            return "--\(name)=\(text)"
        }
    }
}
