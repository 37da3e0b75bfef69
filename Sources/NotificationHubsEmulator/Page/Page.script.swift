extension Page {
    /// What it does. Whatever it shows goes in by `textContent`, never as markup.
    static let script = #"""
        "use strict";
        const $ = (id) => document.getElementById(id);
        const shownLimit = 200;
        const samples = {
          template: '{"message": "Hello"}',
          apple: '{"aps": {"alert": "Hello"}}',
          fcmv1: '{"message": {"notification": {"title": "Hello", "body": "from the emulator"}}}',
          gcm: '{"data": {"message": "Hello"}}',
          windows: '<toast><visual><binding template="ToastGeneric"><text>Hello</text></binding></visual></toast>',
          adm: '{"data": {"message": "Hello"}}',
          browser: '{"title": "Hello", "body": "from the emulator"}',
          baidu: '{"title": "Hello", "description": "from the emulator"}',
          xiaomi: '{"title": "Hello", "description": "from the emulator"}',
        };
        let known, following;

        function element(name, className, text) {
          const made = document.createElement(name);
          if (className) made.className = className;
          if (text !== undefined) made.textContent = text;
          return made;
        }

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
          const text = found.body ?? found.description ?? payload.data?.message ?? payload.message?.data?.message;
          if (found.title === undefined && text === undefined) return {text: delivery.body};
          return {title: found.title === undefined ? undefined : String(found.title), text: String(text ?? "")};
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
            button.addEventListener("click", () => save(delivery.number));
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

        function installationItem(installation) {
          const item = element("li");
          const head = element("div", "head");
          head.append(element("span", "platform", installation.platform));
          head.append(element("span", "id", installation.installationId));
          if (installation.userId) head.append(element("span", "", "user " + installation.userId));
          item.append(head);
          const tags = element("div", "tags");
          for (const tag of installation.tags ?? []) tags.append(element("span", "tag", tag));
          if (tags.childElementCount) item.append(tags);
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

        function remarkItem(remark) {
          const item = element("li", "new");
          item.dataset.number = remark.number;
          const head = element("div", "head");
          head.append(timeElement(remark.date));
          item.append(head, element("p", "", remark.text));
          return item;
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
          if (news.lastDelivery < known.delivery || news.lastRemark < known.remark) return forget();
          renew($("delivery-list"), news.deliveries, news.oldestDelivery, deliveryCard);
          renew($("remark-list"), news.remarks, news.oldestRemark, remarkItem);
          if (news.revision !== known.revision) {
            const open = new Set([...$("installation-list").querySelectorAll("details[open]")]
              .map((details) => details.closest("li").querySelector(".id").textContent));
            $("installation-list").replaceChildren(...news.installations.map(installationItem));
            for (const item of $("installation-list").children) {
              const details = item.querySelector("details");
              if (details && open.has(item.querySelector(".id").textContent)) details.open = true;
            }
          }
          $("delivery-count").textContent = news.lastDelivery - news.oldestDelivery + 1;
          $("installation-count").textContent = news.installationCount;
          $("remark-count").textContent = news.lastRemark - news.oldestRemark + 1;
          $("no-deliveries").hidden = $("delivery-list").childElementCount > 0;
          $("no-installations").hidden = news.installationCount > 0;
          $("no-remarks").hidden = $("remark-list").childElementCount > 0;
          if (!known.isFirst) announce(news);
          known = {revision: news.revision, delivery: news.lastDelivery, remark: news.lastRemark};
        }

        function announce(news) {
          const texts = news.remarks.map((remark) => "Remark: " + remark.text);
          if (news.deliveries.length === 1) {
            const [delivery] = news.deliveries;
            texts.push(`Delivered to ${delivery.installationId ?? delivery.handle}: ${words(delivery).text}`);
          } else if (news.deliveries.length > 1) {
            texts.push(`${news.deliveries.length} deliveries`);
          }
          if (texts.length) $("announcement").textContent = texts.join(". ");
        }

        function forget() {
          known = {revision: "", delivery: 0, remark: 0, isFirst: true};
          for (const id of ["delivery-list", "installation-list", "remark-list"]) $(id).replaceChildren();
        }

        const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

        async function follow() {
          following?.abort();
          following = new AbortController();
          const {signal} = following;
          forget();
          while (!signal.aborted) {
            const query = new URLSearchParams({
              hub: $("hub").value, revision: known.revision, deliveries: known.delivery, remarks: known.remark, wait: 10,
            });
            try {
              const news = await (await ask("news?" + query, {signal})).json();
              if (signal.aborted) return;
              show(news);
              showState("live", "live");
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
          if (Object.values(samples).includes($("body").value)) $("body").value = samples[$("format").value];
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
        $("body").value = samples.template;
        open();
        """#
}
