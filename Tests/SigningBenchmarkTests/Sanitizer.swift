import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// The benchmark brings a `malloc` of its own, and so does a sanitizer: together they do not even start.
    static var needsAllocator: Self {
        .disabled(if: isSanitized, "a sanitizer's malloc and the benchmark's do not go together")
    }
}

/// Whether the tests, and the programs built with them, have a sanitizer.
private var isSanitized: Bool {
    ["__asan_init", "__tsan_init"].contains { name in
        guard let program = unsafe dlopen(nil, RTLD_NOW) else { return false }
        defer { unsafe dlclose(program) }
        return unsafe dlsym(program, name) != nil
    }
}
