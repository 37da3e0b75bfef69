import PushBackend

let store = MemoryPayloadStore()
await store.removeExpired()
precondition(AppBackend.hasRoute(forPath: "/api/notifications"))
print("stored")
