import PlatformImageService
import PlatformImageToolSupport

/// `imagetool sign`: prints thumbnail targets with their signatures.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Prints targets of the thumbnail service with their signatures.",
        discussion: "The key is read from a file, so that it does not appear in process lists and in the shell history."
    )

    @Argument(help: "File with signing keys, one per line; the first key is used.") var keys: String
    @Argument(help: "Target without its signature, such as 300x200/images.example/cat.jpg.") var targets: [String]
    @Flag(help: "Sign with HMAC-SHA256 (44 characters) instead of HMAC-SHA1 (28 characters).") var sha256 = false

    func run() throws {
        let output = try Output()
        do {
            var texts: [[UInt8]] = []
            try forEachFile([keys]) { texts = try signingKeys(in: readInput($0, limit: 1 << 20)) }
            for warning in signingKeyWarnings(texts) { printError("imagetool: \(warning)") }
            // thumbor accepts keys of any length, so this command does too; the service rejects short keys.
            let keys = try SigningKeys(
                texts, algorithms: sha256 ? [.sha256, .sha1] : [.sha1, .sha256], minKeyBytes: 1)
            if let first = texts.first, first.count < SigningKeys.minKeyBytes {
                printError(
                    "imagetool: the first key has \(first.count) bytes; "
                        + "`imagetool serve` requires at least \(SigningKeys.minKeyBytes)"
                )
            }
            for target in targets { try output.write(keys.signed(target) + "\n") }
        } catch let error as SigningKeys.KeyError {
            throw ValidationError(error.description)
        }
    }
}
