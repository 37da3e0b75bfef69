// Cards and list items. Text from devices and senders is inserted with textContent, never as markup.

function element(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const isText = (value) => typeof value === "string";

// Returns the title and text that the device would display, for known payload formats.
function displayText(delivery) {
  let payload;
  try {
    payload = JSON.parse(delivery.body);
  } catch {
    if (delivery.isTruncated) return {text: delivery.body + "…"};
    // Parse only XML: for other text, the browser returns an error document with inline styles.
    const texts = delivery.body.startsWith("<")
      ? [...new DOMParser().parseFromString(delivery.body, "text/xml").querySelectorAll("text")] : [];
    return {text: texts.length ? texts.map((node) => node.textContent).join("\n") : delivery.body};
  }
  if (typeof payload !== "object" || payload === null) return {text: delivery.body};
  const alert = payload.aps?.alert;
  if (typeof alert === "string") return {text: alert};
  const content = alert ?? payload.message?.notification ?? payload.notification ?? payload;
  const text = [content.body, content.description, payload.data?.message, payload.message?.data?.message].find(isText);
  if (!isText(content.title) && text === undefined) return {text: delivery.body};
  return {title: isText(content.title) ? content.title : undefined, text: text ?? ""};
}

// Returns an element with text, as indented JSON if possible.
function preformatted(text, isTruncated) {
  if (isTruncated) return element("pre", "", text + "…");
  try { return element("pre", "", JSON.stringify(JSON.parse(text), null, 2)); } catch { return element("pre", "", text); }
}

// Replaces truncated content when the user opens it.
function replaceOnOpen(details, content, load) {
  const problem = element("p", "empty");
  const replace = async () => {
    if (!details.open) return;
    try {
      content.replaceChildren(...await load());
      details.removeEventListener("toggle", replace);
    } catch (error) {
      problem.textContent = error.message;
      content.append(problem);
    }
  };
  details.addEventListener("toggle", replace);
}

const timeText = (date) => new Date(date).toLocaleTimeString([], {hour12: false});

function timeElement(date) {
  const node = element("time", "", timeText(date));
  node.dateTime = date;
  return node;
}

async function loadDelivery(number) {
  const query = new URLSearchParams({hub: $("hub").value, after: number - 1, limit: 1});
  const {deliveries: [delivery]} = await (await request("deliveries?" + query)).json();
  if (delivery?.number !== number) throw new Error("This delivery is no longer recorded.");
  return delivery;
}

async function loadInstallation(id) {
  const query = new URLSearchParams({hub: $("hub").value, installation: id});
  const {installations: [installation]} = await (await request("installations?" + query)).json();
  if (!installation) throw new Error("This installation no longer exists.");
  return installation;
}

async function saveDelivery(number) {
  const path = `deliveries/${number}.apns?hub=${encodeURIComponent($("hub").value)}`;
  const link = element("a");
  link.href = URL.createObjectURL(await (await request(path)).blob());
  link.download = `delivery-${number}.apns`;
  link.click();
  URL.revokeObjectURL(link.href);
}

// Returns the payload and the headers of a delivery.
function payload(delivery) {
  const headers = Object.entries(delivery.headers).map(([name, value]) => `${name}: ${value}`);
  return [preformatted(delivery.body, delivery.isTruncated),
    ...headers.length ? [element("pre", "", headers.join("\n"))] : []];
}

const numberText = (number) => number.toLocaleString("en-US");

// Returns the card of a delivery, or of equal deliveries to several devices.
function deliveryCard(delivery) {
  const card = element("li", "new");
  card.dataset.number = delivery.number;
  const head = element("div", "head");
  head.append(element("span", "", "#" + delivery.number), element("span", "platform", delivery.platform));
  head.append(delivery.count > 1 ? element("span", "devices", numberText(delivery.count) + " devices")
    : element("span", "id", delivery.devices[0]));
  if (delivery.template !== undefined) head.append(element("span", "", "template " + delivery.template));
  head.append(timeElement(delivery.date));
  card.append(head);
  const {title, text} = displayText(delivery);
  if (title !== undefined) card.append(element("p", "title", title));
  card.append(element("p", "text", text));
  const details = element("details");
  const content = element("div");
  content.append(...payload(delivery));
  if (delivery.isTruncated) replaceOnOpen(details, content, async () => payload(await loadDelivery(delivery.number)));
  details.append(element("summary", "", "Payload and headers"), content);
  details.append(element("p", "empty", "notification " + delivery.notificationId));
  if (delivery.count > 1) {
    const more = delivery.count - delivery.devices.length;
    details.append(element("p", "empty",
      "devices " + delivery.devices.join(", ") + (more > 0 ? ` and ${numberText(more)} more` : "")));
  }
  if (delivery.platform === "apns") {
    const button = element("button", "quiet", "Save for Simulator (.apns)");
    button.type = "button";
    button.addEventListener("click", () => saveDelivery(delivery.number).catch((error) => showState("lost", error.message)));
    details.append(button);
  }
  card.append(details);
  return card;
}

const targetText = (tags) => tags === undefined ? "to all devices or a device handle" : "to " + tags;

// Returns the card of a message that not all matching devices received.
function failureCard(message) {
  const card = element("li", "new unsent");
  const head = element("div", "head");
  head.append(element("span", "platform", message.format), element("span", "id", message.notificationId));
  head.append(timeElement(message.date));
  card.append(head, element("p", "failure", message.failure), element("p", "empty", targetText(message.tags)));
  return card;
}

function scheduledItem(message) {
  const item = element("li");
  const head = element("div", "head");
  head.append(element("span", "platform", message.format));
  const time = element("time", "", new Date(message.due).toLocaleString([], {hour12: false}));
  time.dateTime = message.due;
  head.append(time);
  item.append(head, element("p", "text", targetText(message.tags)), element("p", "empty", message.notificationId));
  return item;
}

// Returns a line of the log of requests. A request without a status was reset.
function requestItem(request) {
  const item = element("li");
  item.dataset.number = request.number;
  const isFailed = request.status === undefined || request.status >= 400;
  item.append(timeElement(request.date), ` ${request.method} ${request.path} `,
    element("span", isFailed ? "failed" : "", request.status ?? "reset"));
  if (request.cause !== undefined) item.append(element("p", "cause", request.cause));
  return item;
}

function tagList(tags) {
  if (!tags.length) return [];
  const list = element("div", "tags");
  list.append(...tags.map((tag) => element("span", "tag", tag)));
  return [list];
}

function registrationItem(registration) {
  const item = element("li");
  const head = element("div", "head");
  head.append(element("span", "platform", registration.platform), element("span", "", registration.kind));
  head.append(element("span", "id", registration.registrationId));
  item.append(head, ...tagList(registration.tags));
  return item;
}

// Returns the names, tags and bodies of an installation's templates.
function templateTexts(templates) {
  return templates.flatMap(([name, template]) => [
    element("p", "empty", name + (template.tags?.length ? " · " + template.tags.join(", ") : "")),
    preformatted(template.body, template.isTruncated)]);
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
    const content = element("div");
    content.append(...templateTexts(templates));
    if (templates.some(([, template]) => template.isTruncated)) {
      replaceOnOpen(details, content,
        async () => templateTexts(Object.entries((await loadInstallation(installation.installationId)).templates)));
    }
    details.append(content);
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
