import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Disables tests under a sanitizer: the benchmark and the sanitizer both replace `malloc`, so the benchmark does not
    /// start.
    static var needsAllocator: Self {
        .disabled(if: isSanitized, "the benchmark's malloc conflicts with the sanitizer's")
    }
}

/// Whether the tests and the programs built with them use a sanitizer.
private var isSanitized: Bool {
    ["__asan_init", "__tsan_init"].contains { name in
        guard let program = unsafe dlopen(nil, RTLD_NOW) else { return false }
        defer { unsafe dlclose(program) }
        return unsafe dlsym(program, name) != nil
    }
}
