import NotificationHubsTesting

precondition(!TransportConformance.checks.isEmpty)
print("checks")
