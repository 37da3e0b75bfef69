import HubCommandLine
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

    /// Calls `body` with each piece of the decompressed data of a gzip file (RFC 1952).
    ///
    /// - Parameters:
    ///   - start: The bytes of the file that were already read.
    ///   - read: Reads the following bytes.
    func decompress(_ start: [UInt8], _ read: InputFile.Reader, _ body: ([UInt8]) throws -> Void) throws {
        var stream = unsafe Stream()
        // 31: windows of up to 32 KiB (15), with the header and trailer of gzip (16).
        let size = CInt(unsafe MemoryLayout<Stream>.size)
        guard unsafe initialize(&stream, 31, "1.2.0", size) == Self.success else { throw DataError() }
        defer { unsafe _ = finish(&stream) }
        var input = start
        var isEnd = false
        // Whether the last output filled its buffer, so more can follow without more input.
        var isFull = false
        while true {
            if input.isEmpty, !isFull, try read(Self.chunkSize, &input) == 0 {
                if isEnd { return }
                throw DataError()
            }
            // Other bytes can follow the last member.
            if isEnd, input.first != 0x1f { return }
            if isEnd { guard unsafe reset(&stream) == Self.success else { throw DataError() } }
            isEnd = false
            var used = 0
            var status = Self.success
            let output = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { output, count in
                unsafe input.withUnsafeMutableBufferPointer { input in
                    unsafe stream.nextInput = input.baseAddress
                    unsafe stream.inputCount = CUnsignedInt(input.count)
                    unsafe stream.nextOutput = output.baseAddress
                    unsafe stream.outputCount = CUnsignedInt(output.count)
                    unsafe status = inflate(&stream, 0)
                    unsafe used = input.count - Int(stream.inputCount)
                }
                unsafe count = Self.chunkSize - Int(stream.outputCount)
            }
            let isIdle = status == Self.noProgress && isFull && output.isEmpty
            // Invalid data can follow valid data of the same piece.
            if !output.isEmpty { try body(output) }
            guard status == Self.success || status == Self.end || isIdle else { throw DataError() }
            input.removeFirst(used)
            isEnd = status == Self.end
            isFull = output.count == Self.chunkSize && !isEnd
        }
    }

    private static let chunkSize = 1 << 18
    private static let success: CInt = 0
    private static let end: CInt = 1
    private static let noProgress: CInt = -5
}
