import HubCrypto

let digest = SHA256.hash(data: Array("abc".utf8))
precondition("\(digest)".hasPrefix("ba7816bf"))
print("kernel \(SHA256.activeKernel)")
