// Following a hub, and the form.

const $ = (id) => document.getElementById(id);
const shownLimit = 200;
let known, following;

async function ask(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem("token");
  if (token) headers.set("Authorization", "Bearer " + token);
  const response = await fetch(path, {...options, headers});
  if (response.status === 401) throw Object.assign(new Error("token"), {needsToken: true});
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

const change = (method, path, value) =>
  ask(path, {method, headers: {"Content-Type": "application/json"}, body: JSON.stringify(value)});

function showState(state, text) {
  if ($("state").dataset.state === state) return;
  $("state").dataset.state = state;
  $("state").textContent = text;
}

// Puts what is new on top, and takes away what the hub no longer has.
function renew(list, items, oldest, make) {
  for (const item of items) list.prepend(make(item));
  while (list.childElementCount > shownLimit
    || (list.lastElementChild && Number(list.lastElementChild.dataset.number) < oldest)) {
    list.lastElementChild.remove();
  }
}

function show(news) {
  // After another start of the emulator, numbers begin anew.
  if (news.lastDelivery < known.delivery || news.lastWarning < known.warning) return forget();
  renew($("delivery-list"), news.deliveries, news.oldestDelivery, deliveryCard);
  renew($("warning-list"), news.warnings, news.oldestWarning, warningItem);
  if (news.revision !== known.revision) {
    const open = new Set([...$("installation-list").querySelectorAll("details[open]")]
      .map((details) => details.closest("li").querySelector(".id").textContent));
    const focused = document.activeElement?.closest("#installation-list li")?.querySelector(".id").textContent;
    $("installation-list").replaceChildren(...news.installations.map(installationItem));
    $("registration-list").replaceChildren(...news.registrations.map(registrationItem));
    for (const item of $("installation-list").children) {
      const details = item.querySelector("details");
      const id = item.querySelector(".id").textContent;
      if (details && open.has(id)) details.open = true;
      if (details && id === focused) details.querySelector("summary").focus();
    }
  }
  $("delivery-count").textContent = news.lastDelivery - news.oldestDelivery + 1;
  $("registration-count").textContent = news.registrationCount;
  $("installation-count").textContent = news.installationCount;
  $("warning-count").textContent = news.lastWarning - news.oldestWarning + 1;
  $("no-deliveries").hidden = $("delivery-list").childElementCount > 0;
  $("no-registrations").hidden = news.registrationCount > 0;
  $("no-installations").hidden = news.installationCount > 0;
  $("no-warnings").hidden = $("warning-list").childElementCount > 0;
  if (!known.isFirst) announce(news);
  known = {revision: news.revision, delivery: news.lastDelivery, warning: news.lastWarning};
}

function announce(news) {
  const texts = news.warnings.map((warning) => "Warning: " + warning.text);
  if (news.deliveries.length === 1) {
    const [delivery] = news.deliveries;
    texts.push(`Delivered to ${delivery.installationId ?? delivery.handle}: ${words(delivery).text}`);
  } else if (news.deliveries.length > 1) {
    texts.push(`${news.deliveries.length} deliveries`);
  }
  if (texts.length) $("announcement").textContent = texts.join(". ");
}

function forget() {
  known = {revision: "", delivery: 0, warning: 0, isFirst: true};
  for (const id of ["delivery-list", "installation-list", "registration-list", "warning-list"]) $(id).replaceChildren();
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function follow() {
  following?.abort();
  following = new AbortController();
  const {signal} = following;
  forget();
  while (!signal.aborted) {
    const query = new URLSearchParams({
      hub: $("hub").value, revision: known.revision, deliveries: known.delivery, warnings: known.warning, wait: 10,
    });
    try {
      const news = await (await ask("news?" + query, {signal})).json();
      if (signal.aborted) return;
      try {
        show(news);
        showState("live", "live");
      } catch (error) {
        // What cannot be shown now cannot be the next time either.
        known = {revision: news.revision, delivery: news.lastDelivery, warning: news.lastWarning};
        showState("lost", "cannot show it: " + error.message);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error.needsToken) return needToken();
      showState("lost", "not reachable, trying again");
      await pause(1000);
    }
  }
}

function needToken() {
  sessionStorage.removeItem("token");
  showState("locked", "locked");
  $("access").hidden = false;
  $("main").hidden = true;
  $("token").focus();
}

let hubs = [];

async function open() {
  try {
    hubs = (await (await ask("hubs")).json()).hubs;
  } catch (error) {
    if (error.needsToken) return needToken();
    showState("lost", "not reachable, trying again");
    await pause(1000);
    return open();
  }
  $("access").hidden = true;
  $("main").hidden = false;
  $("hub").replaceChildren(...hubs.map(({name}) => Object.assign(element("option", "", name), {value: name})));
  choose();
}

function choose() {
  $("tier").textContent = hubs.find(({name}) => name === $("hub").value).tier + " tier";
  follow();
}

const sample = () => $("format").selectedOptions[0].dataset.sample;

const target = () => document.querySelector("input[name=target]:checked").value;

function showTarget() {
  const isForEveryone = target() === "everyone";
  $("target").disabled = isForEveryone;
  $("target").placeholder = isForEveryone ? "every device of the hub"
    : target() === "tag" ? "news" : "news && !quiet";
}

async function send(event) {
  event.preventDefault();
  const message = {hub: $("hub").value, format: $("format").value, body: $("body").value};
  if (target() === "everyone") message.everyone = true; else message[target()] = $("target").value.trim();
  const result = $("result");
  try {
    const answer = await (await change("POST", "send", message)).json();
    result.className = answer.status === 201 ? "good" : "bad";
    result.textContent = answer.status === 201
      ? "Sent" + (answer.notificationId ? " as " + answer.notificationId : "")
      : `The hub answers ${answer.status}: ${answer.detail}`;
  } catch (error) {
    result.className = "bad";
    result.textContent = error.needsToken ? "the control token is missing" : error.message;
  }
}

$("hub").addEventListener("change", choose);
$("format").addEventListener("change", () => {
  const samples = [...$("format").options].map((option) => option.dataset.sample);
  if (samples.includes($("body").value)) $("body").value = sample();
});
for (const radio of document.querySelectorAll("input[name=target]")) radio.addEventListener("change", showTarget);
$("send").addEventListener("submit", send);
$("filter").addEventListener("input", () => { for (const card of $("delivery-list").children) applyFilter(card); });
$("reset").addEventListener("click", () => {
  if (confirm(`Empty the hub "${$("hub").value}"? Installations and deliveries are forgotten.`)) {
    change("POST", "reset", {hub: $("hub").value}).catch(() => showState("lost", "not reachable"));
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
