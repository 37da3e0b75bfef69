extension Page {
    /// What stands on the page before anything is known.
    static let markup = #"""
        <body>
        <a class="skip" href="#deliveries">Skip to the deliveries</a>
        <header>
          <h1>Notification Hub <span>emulator</span></h1>
          <label class="hub">Hub <select id="hub"></select></label>
          <p class="tier" id="tier"></p>
          <p class="state" id="state" role="status">connecting</p>
          <button type="button" id="reset" class="quiet">Empty the hub</button>
        </header>

        <form id="access" class="panel access" hidden>
          <h2>Control token</h2>
          <p>This emulator listens beyond this machine, and printed a token when it started.</p>
          <label for="token">Token</label>
          <input id="token" type="password" autocomplete="off" required>
          <button type="submit">Open</button>
        </form>

        <main id="main">
          <form id="send" class="panel" aria-labelledby="send-title">
            <h2 id="send-title">Send a test message</h2>
            <label for="format">Format</label>
            <select id="format">
              <option value="template">template, the devices’ own</option>
              <option value="apple">apple</option>
              <option value="fcmv1">fcmv1</option>
              <option value="gcm">gcm</option>
              <option value="windows">windows</option>
              <option value="windowsphone">windowsphone</option>
              <option value="adm">adm</option>
              <option value="browser">browser</option>
              <option value="baidu">baidu</option>
              <option value="xiaomi">xiaomi</option>
            </select>
            <label for="body">Body</label>
            <textarea id="body" rows="5" spellcheck="false" required></textarea>
            <fieldset>
              <legend>To</legend>
              <label class="choice"><input type="radio" name="target" value="tag" checked> a tag</label>
              <label class="choice"><input type="radio" name="target" value="expression"> a tag expression</label>
              <label class="choice"><input type="radio" name="target" value="everyone"> everyone</label>
              <label class="hidden" for="target">Tag or expression</label>
              <input id="target" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="news" required>
            </fieldset>
            <button type="submit">Send</button>
            <output id="result" aria-live="polite"></output>
          </form>

          <section id="deliveries" class="panel" aria-labelledby="deliveries-title" tabindex="-1">
            <div class="bar">
              <h2 id="deliveries-title">Deliveries <span class="count" id="delivery-count">0</span></h2>
              <label for="filter" class="hidden">Show only deliveries with this text</label>
              <input id="filter" type="search" placeholder="Filter" autocomplete="off" spellcheck="false">
            </div>
            <p class="empty" id="no-deliveries">What devices would be shown appears here, the latest first.</p>
            <ol id="delivery-list" reversed></ol>
          </section>

          <div class="side">
            <section class="panel" aria-labelledby="installations-title">
              <h2 id="installations-title">Installations <span class="count" id="installation-count">0</span></h2>
              <p class="empty" id="no-installations">No device is registered.</p>
              <ul id="installation-list"></ul>
            </section>
            <section class="panel" aria-labelledby="registrations-title">
              <h2 id="registrations-title">Registrations <span class="count" id="registration-count">0</span></h2>
              <p class="empty" id="no-registrations">None was made; installations are not among them.</p>
              <ul id="registration-list"></ul>
            </section>
            <section class="panel" aria-labelledby="warnings-title">
              <h2 id="warnings-title">Warnings <span class="count" id="warning-count">0</span></h2>
              <p class="empty" id="no-warnings">Nothing has been odd so far.</p>
              <ol id="warning-list" reversed></ol>
            </section>
          </div>
        </main>
        <p id="announcement" class="hidden" aria-live="polite"></p>
        </body>
        """#
}
