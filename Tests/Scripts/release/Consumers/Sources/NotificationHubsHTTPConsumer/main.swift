import NotificationHubsHTTP

let transport = try HubHTTPTransport(maximumConnections: 1)
print("transport \(transport.maximumConnections)")
