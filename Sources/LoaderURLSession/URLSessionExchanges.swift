import Foundation
import PlatformImage
import PlatformImageLoader
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of a transport's session: forwards callbacks to the exchange of each task.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    private let running = Mutex<[Int: URLSessionExchange]>([:])

    /// Registers the exchange of a task.
    ///
    /// - Parameter task: A task that has not been resumed yet.
    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
        let number = task.taskIdentifier
        running.locked(in: self) { $0[number] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        let number = task.taskIdentifier
        return running.locked(in: self) { $0[number] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Foundation calls this after the last byte of a 401 (RFC 9110 §15.5.2) and would then report the request as
        // cancelled.
        exchange(of: task)?.endIfHeadReceived()
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Foundation also delivers interim responses (RFC 9110 §15.2); 101 is treated as final.
        if let response = response as? HTTPURLResponse, response.statusCode >= 200 || response.statusCode == 101 {
            exchange(of: dataTask)?.receive(ResponseHead(response))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let number = task.taskIdentifier
        let exchange = running.locked(in: self) { $0.removeValue(forKey: number) }
        exchange?.end(error.map { .failure(LoadError(foundationError: $0)) } ?? .success(()))
    }
}

extension LoadError {
    /// Converts an error of Foundation.
    fileprivate init(foundationError error: any Error) {
        switch (error as? URLError)?.code {
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
            self = .tls("TLS handshake failed: \(error.localizedDescription)")
        // On Linux, curl's certificate and host name errors have only a text, no code.
        case .unknown? where error.localizedDescription.hasPrefix("SSL"):
            self = .tls("certificate not trusted: \(error.localizedDescription)")
        case .timedOut?: self = .transport("idle timeout exceeded", isTimeout: true)
        case let code?: self = .transport("\(error.localizedDescription) (URLError \(code.rawValue))")
        case nil: self = .transport("\(error)")
        }
    }
}
