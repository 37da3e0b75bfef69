/// What the bytes of a connection say, read in the plainest way: all of them are there.
struct NaiveHTTP {
    struct Request: Equatable {
        var method: String
        var target: String
        /// Names in small letters.
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
    /// Why nothing more is read; `nil` if bytes are missing.
    private(set) var status: Int?

    private struct Refusal: Error {
        let status: Int
    }

    private struct Missing: Error {}

    init(_ bytes: [UInt8], _ limits: Limits) {
        var rest = bytes[...]
        do {
            while true { requests.append(try Self.request(&rest, limits)) }
        } catch let refusal as Refusal {
            status = refusal.status
        } catch {}
    }

    // MARK: Lines

    /// A line of at most so many bytes, all counted.
    private static func line(_ rest: inout ArraySlice<UInt8>, _ most: Int, _ status: Int) throws -> [UInt8] {
        guard let end = rest.firstIndex(of: 10), end - rest.startIndex < most else {
            if rest.count >= most { throw Refusal(status: status) }
            throw Missing()
        }
        let line = Array(rest[...end])
        guard line.count > 1, line[line.count - 2] == 13 else { throw Refusal(status: 400) }
        rest = rest[(end + 1)...]
        return Array(line[..<(line.count - 2)])
    }

    /// Lines up to an empty one; the first of them, and what the headers are.
    private static func block(
        _ rest: inout ArraySlice<UInt8>, _ limits: Limits, first check: (([UInt8]) throws -> Void)?
    ) throws -> [(String, String)] {
        var size = 0
        var fields: [(String, String)] = []
        var mayBeBlank = check != nil
        var isFirst = check != nil
        while true {
            // What begins no method is refused before its line is there.
            if isFirst, let byte = rest.first, byte != 13, byte != 10, !isToken([byte]) { throw Refusal(status: 400) }
            let line = try Self.line(&rest, limits.head - size, 431)
            size += line.count + 2
            if isFirst {
                if line.isEmpty && mayBeBlank {
                    mayBeBlank = false
                    continue
                }
                try check?(line)
                isFirst = false
                continue
            }
            if line.isEmpty { return fields }
            if fields.count == limits.headers { throw Refusal(status: 431) }
            fields.append(try field(line))
        }
    }

    private static func field(_ line: [UInt8]) throws -> (String, String) {
        guard let colon = line.firstIndex(of: 58), isToken(line[..<colon]) else { throw Refusal(status: 400) }
        var value = Array(line[(colon + 1)...])
        while value.first == 32 || value.first == 9 { value.removeFirst() }
        while value.last == 32 || value.last == 9 { value.removeLast() }
        guard isUTF8(value), !value.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else {
            throw Refusal(status: 400)
        }
        return (NaiveCodec.lowercased(Array(line[..<colon])).text, value.text)
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && !bytes.contains { $0 <= 32 || $0 >= 127 || "\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    private static func small(_ text: String) -> [UInt8] { NaiveCodec.lowercased(text.utf8) }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    // MARK: Requests

    private static func request(_ rest: inout ArraySlice<UInt8>, _ limits: Limits) throws -> Request {
        var request = Request(method: "", target: "", keepsAlive: true)
        var host: String?
        var isOld = false
        let fields = try block(&rest, limits) { line in
            (request.method, request.target, host, isOld) = try requestLine(line)
        }
        for (name, value) in fields {
            let isSingle = [
                "host", "content-length", "transfer-encoding", "content-type", "authorization", "expect",
            ].contains(name)
            if let other = request.headers[name] {
                if isSingle { throw Refusal(status: 400) }
                request.headers[name] = "\(other), \(value)"
            } else {
                request.headers[name] = value
            }
        }
        if let named = request.headers["host"] {
            if !isAuthority(named) { throw Refusal(status: 400) }
        } else if !isOld {
            throw Refusal(status: 400)
        }
        if let host { request.headers["host"] = host }
        if isOld { request.headers["expect"] = nil }
        if let expect = request.headers["expect"], small(expect) != Array("100-continue".utf8) {
            throw Refusal(status: 417)
        }
        request.body = try body(request.headers, isOld, &rest, limits)
        request.headers["transfer-encoding"] = nil
        // What the parser's owner has asked about is gone, and it asks about all.
        request.headers["expect"] = nil
        let options = small(request.headers["connection"] ?? "").split { [9, 32, 44].contains($0) }
        request.keepsAlive = !isOld && !options.contains { $0.elementsEqual("close".utf8) }
        return request
    }

    private static func requestLine(_ line: [UInt8]) throws -> (String, String, String?, Bool) {
        let words = line.split(separator: 32, omittingEmptySubsequences: false).map(Array.init)
        guard words.count == 3, isToken(words[0][...]), isUTF8(words[1]), isUTF8(words[2]),
            words[2].starts(with: "HTTP/".utf8)
        else { throw Refusal(status: 400) }
        guard words[2].text == "HTTP/1.1" || words[2].text == "HTTP/1.0" else { throw Refusal(status: 505) }
        let isOld = words[2].last == 48
        var (target, host) = (words[1], String?.none)
        if target.contains(where: { $0 <= 32 || $0 >= 127 || $0 == 35 }) { throw Refusal(status: 400) }
        if target.first != 47, !(words[0].text == "OPTIONS" && target == [42]) {
            let small = NaiveCodec.lowercased(target).text
            guard small.hasPrefix("http://") || small.hasPrefix("https://") else { throw Refusal(status: 400) }
            let parts = target.split(separator: 47, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
            var authority = parts[2]
            var path: [UInt8] = [47]
            if let cut = authority.firstIndex(where: { $0 == 47 || $0 == 63 }) {
                path = (authority[cut] == 47 ? [] : [47]) + authority[cut...]
                authority = Array(authority[..<cut])
            }
            guard !authority.isEmpty, isAuthority(authority.text) else { throw Refusal(status: 400) }
            (target, host) = (path, authority.text)
        }
        return (words[0].text, target.text, host, isOld)
    }

    private static func isAuthority(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "-._~%:[]".unicodeScalars.contains($0)
        }
    }

    // MARK: Bodies

    private static func body(
        _ headers: [String: String], _ isOld: Bool, _ rest: inout ArraySlice<UInt8>, _ limits: Limits
    ) throws -> [UInt8] {
        let length = headers["content-length"]
        guard let coding = headers["transfer-encoding"] else {
            return try take(try number(Array((length ?? "0").utf8), 10, atMost: limits.body), &rest)
        }
        if length != nil || isOld { throw Refusal(status: 400) }
        if small(coding) != Array("chunked".utf8) { throw Refusal(status: 501) }
        var body: [UInt8] = []
        while true {
            let line = try Self.line(&rest, 256, 400)
            guard isUTF8(line), !line.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else {
                throw Refusal(status: 400)
            }
            let digits = line.prefix { $0 != 59 }
            let count = try number(Array(digits), 16, atMost: limits.body - body.count)
            if count == 0 { break }
            body += try take(count, &rest)
            if try !Self.line(&rest, 2, 400).isEmpty { throw Refusal(status: 400) }
        }
        _ = try block(&rest, limits, first: nil)
        return body
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
        guard rest.count >= count else { throw Missing() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func number(_ digits: [UInt8], _ radix: Int, atMost most: Int) throws -> Int {
        var number = 0
        if digits.isEmpty { throw Refusal(status: 400) }
        let small = NaiveCodec.lowercased(digits)
        guard small.allSatisfy({ NaiveCodec.isDigit($0) || radix == 16 && (97...102).contains($0) }) else {
            throw Refusal(status: 400)
        }
        for digit in small { number = min(number * radix + Int(digit < 58 ? digit - 48 : digit - 87), 1 << 40) }
        if number > most { throw Refusal(status: 413) }
        return number
    }
}
