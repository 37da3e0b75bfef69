/// A naive HTTP/1.1 request parser that requires all bytes of a connection at once.
struct NaiveHTTP {
    struct Request: Equatable {
        var method: String
        var target: String
        /// Headers with lower-case names.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        var keepsAlive: Bool
    }

    struct Limits {
        let head: Int
        let headers: Int
        let body: Int
    }

    private(set) var requests: [Request] = []
    /// The status of the rejection; `nil` if bytes are missing.
    private(set) var status: Int?

    private struct Rejection: Error {
        let status: Int
    }

    private struct IncompleteInput: Error {}

    init(_ bytes: [UInt8], _ limits: Limits) {
        var rest = bytes[...]
        do {
            while true { requests.append(try Self.request(&rest, limits)) }
        } catch let rejection as Rejection {
            status = rejection.status
        } catch {}
    }

    // MARK: Lines

    /// Removes a line of at most `limit` bytes, including its end, and returns it without its end.
    private static func line(_ rest: inout ArraySlice<UInt8>, _ limit: Int, _ status: Int) throws -> [UInt8] {
        guard let end = rest.firstIndex(of: 10), end - rest.startIndex < limit else {
            if rest.count >= limit { throw Rejection(status: status) }
            throw IncompleteInput()
        }
        let line = Array(rest[...end])
        guard line.count > 1, line[line.count - 2] == 13 else { throw Rejection(status: 400) }
        rest = rest[(end + 1)...]
        return Array(line[..<(line.count - 2)])
    }

    /// Removes lines up to an empty one, and returns the headers.
    private static func block(
        _ rest: inout ArraySlice<UInt8>, _ limits: Limits, first check: (([UInt8]) throws -> Void)?
    ) throws -> [(String, String)] {
        var size = 0
        var fields: [(String, String)] = []
        var allowsBlankLine = check != nil
        var isFirst = check != nil
        while true {
            // An invalid start of a method is rejected before the line is complete.
            if isFirst, let byte = rest.first, byte != 13, byte != 10, !isToken([byte]) { throw Rejection(status: 400) }
            let line = try Self.line(&rest, limits.head - size, 431)
            size += line.count + 2
            if isFirst {
                if line.isEmpty && allowsBlankLine {
                    allowsBlankLine = false
                    continue
                }
                try check?(line)
                isFirst = false
                continue
            }
            if line.isEmpty { return fields }
            if fields.count == limits.headers { throw Rejection(status: 431) }
            fields.append(try field(line))
        }
    }

    private static func field(_ line: [UInt8]) throws -> (String, String) {
        guard let colon = line.firstIndex(of: 58), isToken(line[..<colon]) else { throw Rejection(status: 400) }
        var value = Array(line[(colon + 1)...])
        while value.first == 32 || value.first == 9 { value.removeFirst() }
        while value.last == 32 || value.last == 9 { value.removeLast() }
        guard isUTF8(value), !value.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else {
            throw Rejection(status: 400)
        }
        return (NaiveCodec.lowercased(Array(line[..<colon])).text, value.text)
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && !bytes.contains { $0 <= 32 || $0 >= 127 || "\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    private static func lowercased(_ text: String) -> [UInt8] { NaiveCodec.lowercased(text.utf8) }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    // MARK: Requests

    private static func request(_ rest: inout ArraySlice<UInt8>, _ limits: Limits) throws -> Request {
        var request = Request(method: "", target: "", keepsAlive: true)
        var host: String?
        var isHTTP10 = false
        let fields = try block(&rest, limits) { line in
            (request.method, request.target, host, isHTTP10) = try requestLine(line)
        }
        for (name, value) in fields {
            let isSingle = [
                "host", "content-length", "transfer-encoding", "content-type", "authorization", "expect",
            ].contains(name)
            if let other = request.headers[name] {
                if isSingle { throw Rejection(status: 400) }
                request.headers[name] = "\(other), \(value)"
            } else {
                request.headers[name] = value
            }
        }
        if let hostHeader = request.headers["host"] {
            if !isAuthority(hostHeader) { throw Rejection(status: 400) }
        } else if !isHTTP10 {
            throw Rejection(status: 400)
        }
        if let host { request.headers["host"] = host }
        if isHTTP10 { request.headers["expect"] = nil }
        if let expect = request.headers["expect"], lowercased(expect) != Array("100-continue".utf8) {
            throw Rejection(status: 417)
        }
        request.body = try body(request.headers, isHTTP10, &rest, limits)
        request.headers["transfer-encoding"] = nil
        // `expectsContinue()`, which `HTTPPart` calls for each request, removes the header.
        request.headers["expect"] = nil
        let options = lowercased(request.headers["connection"] ?? "").split { [9, 32, 44].contains($0) }
        request.keepsAlive = !isHTTP10 && !options.contains { $0.elementsEqual("close".utf8) }
        return request
    }

    private static func requestLine(_ line: [UInt8]) throws -> (String, String, String?, Bool) {
        let words = line.split(separator: 32, omittingEmptySubsequences: false).map(Array.init)
        guard words.count == 3, isToken(words[0][...]), isUTF8(words[1]), isUTF8(words[2]),
            words[2].starts(with: "HTTP/".utf8)
        else { throw Rejection(status: 400) }
        guard words[2].text == "HTTP/1.1" || words[2].text == "HTTP/1.0" else { throw Rejection(status: 505) }
        let isHTTP10 = words[2].last == 48
        var (target, host) = (words[1], String?.none)
        if target.contains(where: { $0 <= 32 || $0 >= 127 || $0 == 35 }) { throw Rejection(status: 400) }
        if target.first != 47, !(words[0].text == "OPTIONS" && target == [42]) {
            let lowercased = NaiveCodec.lowercased(target).text
            guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else {
                throw Rejection(status: 400)
            }
            let parts = target.split(separator: 47, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
            var authority = parts[2]
            var path: [UInt8] = [47]
            if let end = authority.firstIndex(where: { $0 == 47 || $0 == 63 }) {
                path = (authority[end] == 47 ? [] : [47]) + authority[end...]
                authority = Array(authority[..<end])
            }
            guard !authority.isEmpty, isAuthority(authority.text) else { throw Rejection(status: 400) }
            (target, host) = (path, authority.text)
        }
        return (words[0].text, target.text, host, isHTTP10)
    }

    private static func isAuthority(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "-._~%:[]".unicodeScalars.contains($0)
        }
    }

    // MARK: Bodies

    private static func body(
        _ headers: [String: String], _ isHTTP10: Bool, _ rest: inout ArraySlice<UInt8>, _ limits: Limits
    ) throws -> [UInt8] {
        let length = headers["content-length"]
        guard let coding = headers["transfer-encoding"] else {
            return try take(try number(Array((length ?? "0").utf8), 10, atMost: limits.body), &rest)
        }
        if length != nil || isHTTP10 { throw Rejection(status: 400) }
        if lowercased(coding) != Array("chunked".utf8) { throw Rejection(status: 501) }
        var body: [UInt8] = []
        while true {
            let line = try Self.line(&rest, 256, 400)
            guard isUTF8(line), !line.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else {
                throw Rejection(status: 400)
            }
            let digits = line.prefix { $0 != 59 }
            let count = try number(Array(digits), 16, atMost: limits.body - body.count)
            if count == 0 { break }
            body += try take(count, &rest)
            if try !Self.line(&rest, 2, 400).isEmpty { throw Rejection(status: 400) }
        }
        _ = try block(&rest, limits, first: nil)
        return body
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
        guard rest.count >= count else { throw IncompleteInput() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func number(_ digits: [UInt8], _ radix: Int, atMost limit: Int) throws -> Int {
        var number = 0
        if digits.isEmpty { throw Rejection(status: 400) }
        let lowercased = NaiveCodec.lowercased(digits)
        guard lowercased.allSatisfy({ NaiveCodec.isDigit($0) || radix == 16 && (97...102).contains($0) }) else {
            throw Rejection(status: 400)
        }
        for digit in lowercased { number = min(number * radix + Int(digit < 58 ? digit - 48 : digit - 87), 1 << 40) }
        if number > limit { throw Rejection(status: 413) }
        return number
    }
}
