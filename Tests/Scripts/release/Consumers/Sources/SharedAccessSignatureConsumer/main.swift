import SharedAccessSignature

let key = SharedAccessKey(name: "send", secret: "c2VjcmV0")
let address = "https://contoso.servicebus.windows.net/push"
let token = SASSigner(key: key, resource: address).token(validFor: .seconds(60))
let claims = try SASVerifier(keys: [key]).verify(authorization: token.headerValue, for: SASResource(address))
print("token of \(claims.keyName)")
