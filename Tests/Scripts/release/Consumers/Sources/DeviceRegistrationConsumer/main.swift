import DeviceRegistration

let storage = MemoryRegistrationIDStorage()
precondition(storage.registrationID() == nil)
print(try DeviceRegistrar.Address("https://push.contoso.com"))
