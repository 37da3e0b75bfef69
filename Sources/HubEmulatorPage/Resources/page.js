// Live updates and the form.

const $ = (id) => document.getElementById(id);
const itemLimit = 200;
let seen, polling;
// The groups of deliveries with a card, by key.
const groups = new Map();

async function request(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem("token");
  if (token) headers.set("Authorization", "Bearer " + token);
  const response = await fetch(path, {...options, headers});
  if (response.status === 401) throw Object.assign(new Error("missing or invalid control token"), {needsToken: true});
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

const sendJSON = (method, path, value) =>
  request(path, {method, headers: {"Content-Type": "application/json"}, body: JSON.stringify(value)});

function showState(state, text) {
  if ($("state").dataset.state === state) return;
  $("state").dataset.state = state;
  $("state").textContent = text;
}

// Adds new items at the top and removes items that the hub has dropped.
function updateList(list, items, oldest, makeItem) {
  for (const item of items) list.prepend(makeItem(item));
  trim(list, oldest);
}

function trim(list, oldest) {
  while (list.childElementCount > itemLimit
    || (list.lastElementChild && Number(list.lastElementChild.dataset.number) < oldest)) {
    list.lastElementChild.remove();
  }
}

// Adds groups of equal deliveries. A group that continues replaces its card.
function updateDeliveries(updates) {
  const list = $("delivery-list");
  for (const group of updates.deliveries) {
    const known = groups.get(group.key);
    if (known) {
      group.count += known.count;
      group.devices = [...known.devices, ...group.devices].slice(0, 20);
    }
    const card = deliveryCard(group);
    if (known) {
      card.className = "";
      card.querySelector("details").open = known.card.querySelector("details").open;
      known.card.remove();
    }
    list.prepend(card);
    groups.set(group.key, {count: group.count, devices: group.devices, card});
  }
  // A filter selects deliveries. A message without deliveries has none.
  if (!$("filter").value) {
    for (const message of updates.failedMessages) {
      const card = failureCard(message);
      card.dataset.number = updates.lastDelivery;
      list.prepend(card);
    }
  }
  trim(list, updates.oldestDelivery);
  for (const [key, {card}] of groups) if (!card.isConnected) groups.delete(key);
}

function render(updates) {
  // Numbers restart at 1 when the emulator restarts, and those of messages when the hub is reset.
  if (updates.lastDelivery < seen.delivery || updates.lastWarning < seen.warning
    || updates.lastMessage < seen.message || updates.lastRequest < seen.request) return clear();
  updateDeliveries(updates);
  updateList($("warning-list"), updates.warnings, updates.oldestWarning, warningItem);
  updateList($("request-list"), updates.requests, 0, requestItem);
  $("scheduled-list").replaceChildren(...updates.scheduled.map(scheduledItem));
  // The hub omits installations and registrations that have not changed.
  if (updates.installations) {
    const open = new Set([...$("installation-list").querySelectorAll("details[open]")]
      .map((details) => details.closest("li").querySelector(".id").textContent));
    const focused = document.activeElement?.closest("#installation-list li")?.querySelector(".id").textContent;
    $("installation-list").replaceChildren(...updates.installations.map(installationItem));
    $("registration-list").replaceChildren(...updates.registrations.map(registrationItem));
    for (const item of $("installation-list").children) {
      const details = item.querySelector("details");
      const id = item.querySelector(".id").textContent;
      if (details && open.has(id)) details.open = true;
      if (details && id === focused) details.querySelector("summary").focus();
    }
  }
  $("delivery-count").textContent = updates.lastDelivery - updates.oldestDelivery + 1;
  $("registration-count").textContent = updates.registrationCount;
  $("installation-count").textContent = updates.installationCount;
  $("warning-count").textContent = updates.lastWarning - updates.oldestWarning + 1;
  $("scheduled-count").textContent = updates.scheduledCount;
  $("request-count").textContent = updates.lastRequest;
  $("no-scheduled").hidden = updates.scheduledCount > 0;
  $("no-requests").hidden = updates.lastRequest > 0;
  $("start").hidden = updates.lastDelivery > 0 || updates.installationCount > 0 || updates.registrationCount > 0;
  $("no-deliveries").textContent = $("filter").value
    ? "No delivery contains this text." : "No deliveries yet. The latest appears first.";
  $("no-deliveries").hidden = $("delivery-list").childElementCount > 0;
  $("no-registrations").hidden = updates.registrationCount > 0;
  $("no-installations").hidden = updates.installationCount > 0;
  $("no-warnings").hidden = $("warning-list").childElementCount > 0;
  if (!seen.isFirst) announce(updates);
  seen = position(updates, updates.revision);
}

// The position of the page in the hub's events.
const position = (updates, revision) => ({
  revision, delivery: updates.lastDelivery, warning: updates.lastWarning, message: updates.lastMessage,
  request: updates.lastRequest,
});

function announce(updates) {
  const texts = updates.warnings.map((warning) => "Warning: " + warning.text);
  texts.push(...updates.failedMessages.map((message) => "Message: " + message.failure));
  const count = updates.lastDelivery - seen.delivery;
  if (count === 1 && updates.deliveries.length === 1) {
    const [delivery] = updates.deliveries;
    texts.push(`Delivered to ${delivery.devices[0]}: ${displayText(delivery).text}`);
  } else if (count > 0) {
    texts.push(`${numberText(count)} deliveries`);
  }
  if (texts.length) $("announcement").textContent = texts.join(". ");
}

function clear() {
  seen = {revision: "", delivery: 0, warning: 0, message: 0, request: 0, isFirst: true};
  groups.clear();
  for (const id of ["delivery-list", "installation-list", "registration-list", "scheduled-list", "warning-list",
    "request-list"]) $(id).replaceChildren();
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function poll() {
  polling?.abort();
  polling = new AbortController();
  const {signal} = polling;
  clear();
  while (!signal.aborted) {
    const query = new URLSearchParams({
      hub: $("hub").value, revision: seen.revision, deliveries: seen.delivery, warnings: seen.warning,
      messages: seen.message, requests: seen.request, filter: $("filter").value, wait: 10,
    });
    try {
      const updates = await (await request("updates?" + query, {signal})).json();
      if (signal.aborted) return;
      try {
        render(updates);
        showState("live", "live");
        // A busy hub changes all the time. One update shows several changes.
        await sleep(200);
      } catch (error) {
        // Skip the update: rendering it again would fail again. The next one contains all installations.
        seen = position(updates, "");
        showState("lost", "cannot show an update: " + error.message);
        await sleep(1000);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error.needsToken) return requestToken();
      showState("lost", "not reachable, retrying");
      await sleep(1000);
    }
  }
}

function requestToken() {
  sessionStorage.removeItem("token");
  showState("locked", "locked");
  $("access").hidden = false;
  $("main").hidden = true;
  $("token").focus();
}

let hubs = [];

async function open() {
  try {
    hubs = (await (await request("hubs")).json()).hubs;
  } catch (error) {
    if (error.needsToken) return requestToken();
    showState("lost", "not reachable, retrying");
    await sleep(1000);
    return open();
  }
  $("access").hidden = true;
  $("main").hidden = false;
  $("hub").replaceChildren(...hubs.map(({name}) => Object.assign(element("option", "", name), {value: name})));
  selectHub();
}

function selectHub() {
  const hub = hubs.find(({name}) => name === $("hub").value);
  if (!hub) return showState("lost", "no hub: create one and reload the page");
  $("tier").textContent = hub.tier + " tier";
  showStart($("hub").value).catch((error) => { $("connection").textContent = error.message; });
  poll();
}

const program = $("program").textContent;

// Shows how to connect to a hub.
async function showStart(hub) {
  const {connectionString} = await (await request("connection?" + new URLSearchParams({hub}))).json();
  $("start-hub").textContent = hub;
  $("connection").textContent = connectionString;
  const quoted = connectionString.replaceAll("'", "'\\''");
  $("program").textContent = program.replace('"push"', JSON.stringify(hub));
  $("command").textContent = `export NOTIFICATION_HUB_CONNECTION_STRING='${quoted}' NOTIFICATION_HUB_NAME=${hub}
echo '{"installationId": "phone-1", "platform": "apns", "pushChannel": "00fc13ad", "tags": ["news"]}' | nhub installation put -`;
}

async function copy(event) {
  const button = event.target;
  try {
    await navigator.clipboard.writeText($(button.dataset.copies).textContent);
    button.textContent = "Copied";
  } catch {
    // Without a secure context, the browser has no clipboard.
    getSelection().selectAllChildren($(button.dataset.copies));
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

const sample = () => $("format").selectedOptions[0].dataset.sample;

const target = () => document.querySelector("input[name=target]:checked").value;

function showTarget() {
  const isForEveryone = target() === "everyone";
  $("target").disabled = isForEveryone;
  $("target").placeholder = isForEveryone ? "all devices in the hub"
    : target() === "tag" ? "updates" : "updates && !quiet";
}

function sentText({notificationId, deliveries, failure}) {
  const sent = "Sent" + (notificationId ? " as " + notificationId : "");
  const devices = deliveries === 0 ? "" : deliveries === 1 ? " to 1 device" : ` to ${numberText(deliveries)} devices`;
  return sent + devices + (failure === undefined ? "" : ", but " + failure);
}

async function send(event) {
  event.preventDefault();
  const message = {hub: $("hub").value, format: $("format").value, body: $("body").value};
  if (target() === "everyone") message.everyone = true; else message[target()] = $("target").value.trim();
  const result = $("result");
  try {
    const response = await (await sendJSON("POST", "send", message)).json();
    const isAccepted = response.status === 201;
    result.className = !isAccepted ? "bad" : response.failure === undefined ? "good" : "warn";
    result.textContent = isAccepted ? sentText(response) : `The hub returned ${response.status}: ${response.detail}`;
  } catch (error) {
    result.className = "bad";
    result.textContent = error.message;
  }
}

$("hub").addEventListener("change", selectHub);
$("format").addEventListener("change", () => {
  const samples = [...$("format").options].map((option) => option.dataset.sample);
  if (samples.includes($("body").value)) $("body").value = sample();
});
for (const radio of document.querySelectorAll("input[name=target]")) radio.addEventListener("change", showTarget);
$("send").addEventListener("submit", send);
let filterTimer;
$("filter").addEventListener("input", () => {
  clearTimeout(filterTimer);
  filterTimer = setTimeout(poll, 200);
});
for (const button of document.querySelectorAll("[data-copies]")) button.addEventListener("click", copy);
$("reset").addEventListener("click", () => {
  if (confirm(`Reset the hub "${$("hub").value}"? This removes all its data, including installations, registrations and deliveries.`)) {
    sendJSON("POST", "reset", {hub: $("hub").value}).catch(() => showState("lost", "not reachable"));
  }
});
$("access").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("token").value = "";
  open();
});
$("body").value = sample();
open();
