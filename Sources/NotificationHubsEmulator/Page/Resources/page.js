"use strict";

// Cards and lists. Text from devices and senders goes in by textContent, never as markup.

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const isText = (value) => typeof value === "string";

// What a person would read on the device, as far as the payload says it in a known way.
function words(delivery) {
  let payload;
  try {
    payload = JSON.parse(delivery.body);
  } catch {
    // What is no XML either is not parsed: the browser would put a style of its own into the error.
    const parsed = delivery.body.startsWith("<")
      ? [...new DOMParser().parseFromString(delivery.body, "text/xml").querySelectorAll("text")] : [];
    return {text: parsed.length ? parsed.map((node) => node.textContent).join("\n") : delivery.body};
  }
  if (typeof payload !== "object" || payload === null) return {text: delivery.body};
  const alert = payload.aps?.alert;
  if (typeof alert === "string") return {text: alert};
  const found = alert ?? payload.message?.notification ?? payload.notification ?? payload;
  const text = [found.body, found.description, payload.data?.message, payload.message?.data?.message].find(isText);
  if (!isText(found.title) && text === undefined) return {text: delivery.body};
  return {title: isText(found.title) ? found.title : undefined, text: text ?? ""};
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

const clock = (date) => new Date(date).toLocaleTimeString([], {hour12: false});

function timeElement(date) {
  const made = element("time", "", clock(date));
  made.dateTime = date;
  return made;
}

async function save(number) {
  const path = `deliveries/${number}.apns?hub=${encodeURIComponent($("hub").value)}`;
  const link = element("a");
  link.href = URL.createObjectURL(await (await ask(path)).blob());
  link.download = `delivery-${number}.apns`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function deliveryCard(delivery) {
  const card = element("li", "new");
  card.dataset.number = delivery.number;
  const head = element("div", "head");
  head.append(element("span", "", "#" + delivery.number), element("span", "platform", delivery.platform));
  head.append(element("span", "id", delivery.installationId ?? delivery.handle));
  if (delivery.template !== undefined) head.append(element("span", "", "template " + delivery.template));
  head.append(timeElement(delivery.date));
  card.append(head);
  const {title, text} = words(delivery);
  if (title !== undefined) card.append(element("p", "title", title));
  card.append(element("p", "text", text));
  const details = element("details");
  details.append(element("summary", "", "Payload and headers"), element("pre", "", pretty(delivery.body)));
  const headers = Object.entries(delivery.headers).map(([name, value]) => `${name}: ${value}`);
  if (headers.length) details.append(element("pre", "", headers.join("\n")));
  details.append(element("p", "empty", "notification " + delivery.notificationId));
  if (delivery.platform === "apns") {
    const button = element("button", "quiet", "Save for the simulator (.apns)");
    button.type = "button";
    button.addEventListener("click", () => save(delivery.number).catch((error) => showState("lost", error.message)));
    details.append(button);
  }
  card.append(details);
  card.dataset.search = JSON.stringify(delivery).toLowerCase();
  applyFilter(card);
  return card;
}

function applyFilter(card) {
  card.hidden = !card.dataset.search.includes($("filter").value.toLowerCase());
}

function tagList(tags) {
  if (!tags.length) return [];
  const made = element("div", "tags");
  made.append(...tags.map((tag) => element("span", "tag", tag)));
  return [made];
}

function registrationItem(registration) {
  const item = element("li");
  const head = element("div", "head");
  head.append(element("span", "platform", registration.platform), element("span", "", registration.kind));
  head.append(element("span", "id", registration.registrationId));
  item.append(head, ...tagList(registration.tags));
  return item;
}

function installationItem(installation) {
  const item = element("li");
  const head = element("div", "head");
  head.append(element("span", "platform", installation.platform));
  head.append(element("span", "id", installation.installationId));
  if (installation.userId) head.append(element("span", "", "user " + installation.userId));
  if (installation.pushChannelExpired) head.append(element("span", "", "expired"));
  item.append(head, ...tagList(installation.tags ?? []));
  const templates = Object.entries(installation.templates ?? {});
  if (templates.length) {
    const details = element("details");
    details.append(element("summary", "", templates.length === 1 ? "1 template" : templates.length + " templates"));
    for (const [name, template] of templates) {
      details.append(element("p", "empty", name + (template.tags ? " · " + template.tags.join(", ") : "")));
      details.append(element("pre", "", pretty(template.body)));
    }
    item.append(details);
  }
  return item;
}

function warningItem(warning) {
  const item = element("li", "new");
  item.dataset.number = warning.number;
  const head = element("div", "head");
  head.append(timeElement(warning.date));
  item.append(head, element("p", "", warning.text));
  return item;
}

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
