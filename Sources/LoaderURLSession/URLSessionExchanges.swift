#if Loader
import Foundation
import PlatformImage
import PlatformImageLoader
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of a transport's session: hands what comes to the exchange that it belongs to.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    private let running = Mutex<[Int: URLSessionExchange]>([:])

    /// - Parameter task: Not resumed yet.
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
        // Foundation asks after the last byte of a 401 (RFC 9110 §15.5.2), whose end it would then call cancelled.
        exchange(of: task)?.endIfAnswered()
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Foundation hands on interim responses too (RFC 9110 §15.2); 101 is a final one.
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
    /// What an error of Foundation's means to a load.
    fileprivate init(foundationError error: any Error) {
        switch (error as? URLError)?.code {
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
            self = .tls("certificate or handshake refused: \(error.localizedDescription)")
        // What curl says of certificates and host names has a text, and on Linux no code.
        case .unknown? where error.localizedDescription.hasPrefix("SSL"):
            self = .tls("certificate refused: \(error.localizedDescription)")
        case .timedOut?: self = .transport("no byte in time")
        case let code?: self = .transport("\(error.localizedDescription) (\(code.rawValue))")
        case nil: self = .transport("\(error)")
        }
    }
}
#endif
