-- The requests that wrk sends: writes and reads of 1000 installations in turn, or messages without recipients.

local method = os.getenv("METHOD")
local headers = { ["Authorization"] = os.getenv("TOKEN"), ["Content-Type"] = "application/json" }
local body = nil
local number = 0

function request()
    number = number + 1
    local path = "/push/messages?api-version=2020-06"
    if method == "POST" then
        headers["ServiceBusNotification-Format"] = "template"
        headers["ServiceBusNotification-Tags"] = "unused"
        body = '{"message":"Hello"}'
    else
        local id = "load-" .. number % 1000
        path = "/push/installations/" .. id .. "?api-version=2020-06"
        if method == "PUT" then
            body = '{"installationId":"' .. id .. '","platform":"apns","pushChannel":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",'
                .. '"tags":["load"],"templates":{"alert":{"body":"{\\"aps\\":{\\"alert\\":\\"$(message)\\"}}"}}}'
        end
    end
    return wrk.format(method, path, headers, body)
end

function done(summary, latency, requests)
    local errors = summary.errors
    local count = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("result %d %d %d\n", summary.requests, count, summary.requests / summary.duration * 1e6))
end
