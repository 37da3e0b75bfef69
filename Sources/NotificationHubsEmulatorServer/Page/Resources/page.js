// Live updates and the form.

const $ = (id) => document.getElementById(id);
const itemLimit = 200;
let seen, polling;

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
  while (list.childElementCount > itemLimit
    || (list.lastElementChild && Number(list.lastElementChild.dataset.number) < oldest)) {
    list.lastElementChild.remove();
  }
}

function render(updates) {
  // Numbers restart at 1 when the emulator restarts.
  if (updates.lastDelivery < seen.delivery || updates.lastWarning < seen.warning) return clear();
  updateList($("delivery-list"), updates.deliveries, updates.oldestDelivery, deliveryCard);
  updateList($("warning-list"), updates.warnings, updates.oldestWarning, warningItem);
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
  $("no-deliveries").hidden = $("delivery-list").childElementCount > 0;
  $("no-registrations").hidden = updates.registrationCount > 0;
  $("no-installations").hidden = updates.installationCount > 0;
  $("no-warnings").hidden = $("warning-list").childElementCount > 0;
  if (!seen.isFirst) announce(updates);
  seen = {revision: updates.revision, delivery: updates.lastDelivery, warning: updates.lastWarning};
}

function announce(updates) {
  const texts = updates.warnings.map((warning) => "Warning: " + warning.text);
  if (updates.deliveries.length === 1) {
    const [delivery] = updates.deliveries;
    texts.push(`Delivered to ${delivery.installationId ?? delivery.handle}: ${displayText(delivery).text}`);
  } else if (updates.deliveries.length > 1) {
    texts.push(`${updates.deliveries.length} deliveries`);
  }
  if (texts.length) $("announcement").textContent = texts.join(". ");
}

function clear() {
  seen = {revision: "", delivery: 0, warning: 0, isFirst: true};
  for (const id of ["delivery-list", "installation-list", "registration-list", "warning-list"]) $(id).replaceChildren();
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function poll() {
  polling?.abort();
  polling = new AbortController();
  const {signal} = polling;
  clear();
  while (!signal.aborted) {
    const query = new URLSearchParams({
      hub: $("hub").value, revision: seen.revision, deliveries: seen.delivery, warnings: seen.warning, wait: 10,
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
        seen = {revision: "", delivery: updates.lastDelivery, warning: updates.lastWarning};
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
  $("tier").textContent = hubs.find(({name}) => name === $("hub").value).tier + " tier";
  poll();
}

const sample = () => $("format").selectedOptions[0].dataset.sample;

const target = () => document.querySelector("input[name=target]:checked").value;

function showTarget() {
  const isForEveryone = target() === "everyone";
  $("target").disabled = isForEveryone;
  $("target").placeholder = isForEveryone ? "all devices in the hub"
    : target() === "tag" ? "updates" : "updates && !quiet";
}

async function send(event) {
  event.preventDefault();
  const message = {hub: $("hub").value, format: $("format").value, body: $("body").value};
  if (target() === "everyone") message.everyone = true; else message[target()] = $("target").value.trim();
  const result = $("result");
  try {
    const response = await (await sendJSON("POST", "send", message)).json();
    result.className = response.status === 201 ? "good" : "bad";
    result.textContent = response.status === 201
      ? "Sent" + (response.notificationId ? " as " + response.notificationId : "")
      : `The hub returned ${response.status}: ${response.detail}`;
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
$("filter").addEventListener("input", () => { for (const card of $("delivery-list").children) applyFilter(card); });
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
