#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's zlib, loaded at run time.
@safe struct Zlib: Sendable {
    private typealias Initialize = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafePointer<CChar>, CInt) -> CInt
    private typealias Inflate = @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
    private typealias Finish = @convention(c) (UnsafeMutableRawPointer) -> CInt

    private let initialize: Initialize
    private let inflate: Inflate
    private let reset: Finish
    private let finish: Finish

    /// The library; `nil` if it cannot be loaded.
    static let shared = Zlib()

    /// The way to decompress files if the library cannot be loaded.
    static let remedy = isLoadable ? "install zlib (libz.so.1)" : "use a sas that is not a static executable"

    /// Whether libraries can be loaded. In a static executable, which has no dynamic symbols, a library would bring a second C library
    /// and crash the process.
    private static var isLoadable: Bool {
        #if canImport(Darwin)
        true
        #else
        unsafe dlsym(nil, "dlopen") != nil
        #endif
    }

    private init?() {
        #if canImport(Darwin)
        let name = "libz.1.dylib"
        #else
        let name = "libz.so.1"
        #endif
        guard Self.isLoadable, let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL),
            let initialize = unsafe dlsym(library, "inflateInit2_"), let inflate = unsafe dlsym(library, "inflate"),
            let reset = unsafe dlsym(library, "inflateReset"), let finish = unsafe dlsym(library, "inflateEnd")
        else { return nil }
        unsafe self.initialize = unsafeBitCast(initialize, to: Initialize.self)
        unsafe self.inflate = unsafeBitCast(inflate, to: Inflate.self)
        unsafe self.reset = unsafeBitCast(reset, to: Finish.self)
        unsafe self.finish = unsafeBitCast(finish, to: Finish.self)
    }

    /// An error for invalid compressed data.
    struct DataError: Error, CustomStringConvertible {
        var description: String { "invalid gzip data" }
    }

    /// The fields of `z_stream` in the order of zlib.h.
    @unsafe private struct Stream {
        var nextInput: UnsafeMutablePointer<UInt8>?
        var inputCount: CUnsignedInt = 0
        var totalInput: CUnsignedLong = 0
        var nextOutput: UnsafeMutablePointer<UInt8>?
        var outputCount: CUnsignedInt = 0
        var totalOutput: CUnsignedLong = 0
        var message: UnsafePointer<CChar>?
        var state: OpaquePointer?
        var allocate: OpaquePointer?
        var free: OpaquePointer?
        var opaque: OpaquePointer?
        var dataType: CInt = 0
        var checksum: CUnsignedLong = 0
        var reserved: CUnsignedLong = 0
    }

    /// Returns the start of the content of a gzip file in memory, at most a number of bytes.
    @Sendable func start(of compressed: [UInt8], _ maximumCount: Int) -> [UInt8] {
        var content: [UInt8] = []
        struct LimitReached: Error {}
        // Damaged and incomplete data has a start, too.
        try? Inflater(self).write(compressed) { piece in
            content += piece.prefix(maximumCount - content.count)
            if content.count == maximumCount { throw LimitReached() }
        }
        return content
    }

    /// A decompression of a gzip file (RFC 1952) that is passed in pieces.
    @safe final class Inflater {
        private let zlib: Zlib
        /// zlib requires that its address does not change.
        private let stream: UnsafeMutablePointer<Stream>
        private var phase = Phase.start

        private enum Phase {
            /// Before or inside a member, or between members.
            case start, member, end
            /// After the last member.
            case rest
        }

        init(_ zlib: Zlib) throws(DataError) {
            self.zlib = zlib
            unsafe stream = .allocate(capacity: 1)
            unsafe stream.initialize(to: Stream())
            // 31: windows of up to 32 KiB (15), with the header and trailer of gzip (16).
            let size = CInt(unsafe MemoryLayout<Stream>.size)
            guard unsafe zlib.initialize(stream, 31, "1.2.0", size) == success else { throw DataError() }
        }

        deinit {
            unsafe _ = zlib.finish(stream)
            unsafe stream.deallocate()
        }

        /// Calls `body` with each piece of the decompressed data of the next bytes. Other bytes can follow the last member.
        func write(_ bytes: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
            var input = bytes[...]
            var isFull = false
            while !input.isEmpty || isFull {
                if phase == .end {
                    guard input.first == 0x1f else { phase = .rest; return }
                    guard unsafe zlib.reset(stream) == success else { throw DataError() }
                }
                if phase == .rest { return }
                phase = .member
                var status = success
                var used = 0
                let output = unsafe [UInt8](unsafeUninitializedCapacity: chunkSize) { output, count in
                    (status, used, count) = unsafe inflate(input, output)
                }
                let isIdle = status == noProgress && isFull && output.isEmpty
                // Invalid data can follow valid data of the same piece.
                if !output.isEmpty { try body(output) }
                guard status == success || status == Zlib.end || isIdle else { throw DataError() }
                input = input.dropFirst(used)
                if status == Zlib.end { phase = .end }
                isFull = output.count == chunkSize && phase == .member
            }
        }

        /// - Throws: ``DataError`` if the last member is incomplete.
        func end() throws(DataError) {
            if phase == .start || phase == .member { throw DataError() }
        }

        private func inflate(_ input: ArraySlice<UInt8>, _ output: UnsafeMutableBufferPointer<UInt8>) -> (
            CInt, Int, Int
        ) {
            var input = Array(input.prefix(chunkSize))
            return unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.pointee.nextInput = input.baseAddress
                unsafe stream.pointee.inputCount = CUnsignedInt(input.count)
                unsafe stream.pointee.nextOutput = output.baseAddress
                unsafe stream.pointee.outputCount = CUnsignedInt(output.count)
                let status = unsafe zlib.inflate(stream, 0)
                return unsafe (
                    status, input.count - Int(stream.pointee.inputCount),
                    output.count - Int(stream.pointee.outputCount)
                )
            }
        }
    }

    private static let chunkSize = 1 << 18
    private static let success: CInt = 0
    private static let end: CInt = 1
    private static let noProgress: CInt = -5
}
