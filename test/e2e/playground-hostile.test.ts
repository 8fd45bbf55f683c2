import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "./playground/site.ts";
import { ask, eventually, partsOf, visit, type Visitor } from "./playground/visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("runs no scripts from texts, and requests only HTTPS hosts and this machine", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await partsOf(page).file("README.md").waitFor();
  expect(visitor.complaints).toEqual([]);
  const outcomes = await page.evaluate(async () => {
    const refused: string[] = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      refused.push(`${event.effectiveDirective} ${event.blockedURI}`),
    );
    const attempts: Record<string, () => unknown> = {
      markup: () => (document.createElement("div").innerHTML = "<img src=x>"),
      foreign: () => new Worker("https://evil.example/worker.js"),
      data: () => new Worker("data:text/javascript,0"),
    };
    const passed = Object.keys(attempts).filter((name) => {
      try {
        attempts[name]?.();
        return true;
      } catch {
        return false;
      }
    });
    await fetch("http://192.0.2.1/").catch(() => undefined);
    // The loopback is allowed: what fails there is the connection.
    await fetch("http://127.0.0.1:9/").catch(() => undefined);
    return { passed, refused: refused.filter((violation) => violation.startsWith("connect-src")) };
  });
  expect(outcomes.passed).toEqual([]);
  expect(outcomes.refused).toEqual(["connect-src http://192.0.2.1/"]);
});

it("is not shown in a frame of another page, where clicks could be stolen", async () => {
  const frame = `<!doctype html><iframe src="${playground.url}"></iframe>`;
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end(frame),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await using visitor = await visit(playground);
    const refused = visitor.page.waitForEvent("console", (message) =>
      message.text().includes("frame-ancestors 'none'"),
    );
    await visitor.page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await refused;
    const [, framed] = visitor.page.frames();
    expect(await framed?.locator("#root").count()).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it("shows a text that is nested too deeply as it was written, and continues", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { conversation, turns } = partsOf(page);
  const texts = conversation.locator("[data-part=text]");
  for (const deep of [">".repeat(5_000), "> ".repeat(200), "*a_".repeat(5_000)]) {
    await ask(page, `ask me ${deep}: yes|no`);
    await eventually(() => texts.last().textContent()).toContain(deep.trim());
  }
  await ask(page, "help");
  await eventually(() => turns.count()).toBe(4);
});

/** Writes files as a person does at the shell, opens the first one's preview, and leads to what it shows. */
async function preview({ page }: Visitor, files: Readonly<Record<string, string>>) {
  const region = page.getByRole("complementary", { name: "Workspace" });
  await region.getByRole("tab", { name: /^Shell/ }).click();
  const command = region.getByLabel(/^Command, in/);
  const output = region.getByRole("group", { name: "Output of commands" });
  // The command itself, which is shown as well, spells it with quotes.
  const written = async () => (await output.textContent())?.split("Written!").length ?? 0;
  const before = await written();
  const lines = Object.entries(files).map(([path, text]) => {
    const encoded = Buffer.from(text).toString("base64");
    return `mkdir -p $(dirname ${path}); echo ${encoded} | base64 -d > ${path}`;
  });
  await command.fill([...lines, 'echo Written"!"'].join("; "));
  await command.press("Enter");
  await eventually(written).toBe(before + 1);
  await region.getByRole("tab", { name: /^Files/ }).click();
  const [first = ""] = Object.keys(files);
  await partsOf(page).file(first).click();
  await region.getByRole("tab", { name: "Preview" }).click();
  return page.frameLocator("iframe").frameLocator("iframe");
}

it("previews a page of the workspace with its styles, scripts and images, as the files change", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const shown = await preview(visitor, {
    "site.html": `<!doctype html><html lang="en"><head><title>Site</title>
      <link rel="stylesheet" href="look/main.css"><script defer src="/classic.js"></script>
      <script type="importmap">{"imports":{"greeting":"./lib/greeting.js"}}</script>
      <script type="module" src="app.js"></script></head>
      <body><p id="text">waiting</p><p id="classic"></p><img alt="dot" src="dot.svg">
      <form><button>Send</button></form><a href="other.html">Other</a>
      <img alt="far" src="https://far.example/x.png"></body></html>`,
    "look/main.css": '@import "base.css"; #text { background: url(../dot.svg) }',
    "look/base.css": "#text { color: rgb(1, 2, 3) }",
    "classic.js": 'document.getElementById("classic").textContent = "classic ran";',
    "app.js": `import { greet } from "greeting"; import { end } from "./lib/end.js";
      document.getElementById("text").textContent = greet("page") + end;
      document.forms[0].onsubmit = (event) => { event.preventDefault(); document.title = "sent"; };`,
    "lib/greeting.js":
      'import { end } from "./end.js"; export const greet = (name) => "hello " + name + end;',
    "lib/end.js": 'export const end = "!";',
    "dot.svg":
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  });
  const text = shown.locator("#text");
  await eventually(() => text.textContent()).toBe("hello page!!");
  expect(await text.evaluate((node) => getComputedStyle(node).color)).toBe("rgb(1, 2, 3)");
  expect(await text.evaluate((node) => getComputedStyle(node).backgroundImage)).toMatch(
    /^url\("data:/,
  );
  await eventually(() => shown.locator("#classic").textContent()).toBe("classic ran");
  const dot = shown.getByAltText("dot");
  expect(await dot.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(9);
  await shown.getByRole("button").click();
  await eventually(() => text.evaluate(() => document.title)).toBe("sent");
  // A link doesn't leave, and what isn't there is named.
  await shown.getByRole("link").click();
  await eventually(() => text.textContent()).toBe("hello page!!");
  await page.getByText("Not loaded: https://far.example/x.png.").waitFor();

  await ask(page, "ask me ready: yes|no");
  await page.getByLabel("Permission mode").selectOption({ label: "Allow all" });
  await ask(page, "run echo 'export const end = \"?\";' > lib/end.js");
  await eventually(() => text.textContent()).toBe("hello page??");
  expect(visitor.complaints.filter((text) => !text.includes("far.example"))).toEqual([]);
});

it("lets a previewed page reach no host and nothing outside of its frame", async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*").end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const packets = createSocket("udp4").on("message", () => requests.push("WebRTC"));
  await new Promise<void>((resolve) => packets.bind(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const script = `
    const done = [];
    const attempt = (name, work) => {
      try { done.push(name + ": " + (work() ?? "no answer")); } catch (error) { done.push(name + ": " + error.name); }
    };
    const add = (name, facts) => document.body.append(Object.assign(document.createElement(name), facts));
    const call = (Connection) => {
      const connection = new Connection({ iceServers: [{ urls: "stun:127.0.0.1:${packets.address().port}" }] });
      connection.createDataChannel("x");
      connection.createOffer().then((offer) => connection.setLocalDescription(offer));
    };
    attempt("parent", () => parent.document.title);
    attempt("top", () => top.document.title);
    attempt("storage", () => localStorage.length);
    attempt("popup", () => String(open("${url}/popup")));
    attempt("top address", () => (top.location = "${url}/top"));
    attempt("parent address", () => (parent.location = "${url}/parent"));
    attempt("call", () => call(RTCPeerConnection));
    attempt("call of a frame", () => {
      const frame = document.createElement("iframe");
      document.body.append(frame);
      call(frame.contentWindow.RTCPeerConnection);
    });
    for (const place of [document.body, document.createElement("p").attachShadow({ mode: "closed" })]) {
      if (place.host) document.body.append(place.host);
      const srcdoc = "<script>(" + call + ")(RTCPeerConnection)</" + "script>";
      place.append(Object.assign(document.createElement("iframe"), { srcdoc }));
    }
    attempt("beacon", () => void navigator.sendBeacon("${url}/beacon"));
    attempt("socket", () => void new WebSocket("${url.replace("http", "ws")}/socket"));
    add("img", { src: "${url}/image" });
    add("script", { src: "${url}/script" });
    add("link", { rel: "stylesheet", href: "${url}/style" });
    add("link", { rel: "prefetch", href: "${url}/prefetch" });
    add("iframe", { src: "${url}/frame" });
    add("object", { data: "${url}/object" });
    add("a", { href: "${url}/link", target: "_top", textContent: "link" });
    document.links[0].click();
    fetch("${url}/fetch").catch((error) => {
      done.push("fetch: " + error.name);
      document.getElementById("done").textContent = done.join("\\n");
    });`;
  try {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const shown = await preview(visitor, {
      "evil.html": `<p id="done"></p><iframe src="${url}/early"></iframe><script>${script}</script>`,
    });
    await eventually(() => shown.locator("#done").textContent()).toBe(
      [
        "parent: SecurityError",
        "top: SecurityError",
        "storage: SecurityError",
        "popup: null",
        "top address: SecurityError",
        "parent address: SecurityError",
        "call: ReferenceError",
        "call of a frame: SecurityError",
        "beacon: no answer",
        "socket: no answer",
        "fetch: TypeError",
      ].join("\n"),
    );
    // Where a page would go instead, the browser shows its own words.
    for (const way of [
      `location = "${url}/away"`,
      `location = "${playground.url}?away"`,
      `document.body.innerHTML = '<form action="${url}/form" method="post">'; document.forms[0].submit()`,
    ]) {
      const body = `<p>here</p><script>setTimeout(() => { ${way} })</script>`;
      await preview(visitor, { "leaves.html": body });
      const frames = () => page.frames().map((frame) => frame.url());
      await eventually(frames).toContain("chrome-error://chromewebdata/");
      await page.getByRole("button", { name: "Close file" }).click();
    }
    await visitor.page.evaluate((address) => fetch(`${address}/end`), url);
    expect(requests).toEqual(["/end"]);
    expect(page.url()).toBe(playground.url);
    await partsOf(page).message.waitFor();
  } finally {
    packets.close();
    server.closeAllConnections();
    server.close();
  }
});
