import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** WebKit, driven by W3C WebDriver: Debian's packages `webkit2gtk-driver`, with its MiniBrowser, and `xvfb`. */
export interface WebKit extends AsyncDisposable {
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Waits for an element by XPath, and clicks it. */
  click(path: string): Promise<void>;
  /** Waits for an element by XPath. */
  see(path: string): Promise<void>;
  /** Runs the body of an asynchronous function in the page. */
  run(script: string): Promise<unknown>;
}

const PATIENCE_MS = 60_000;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A screen that nobody sees; its number. */
async function startScreen(): Promise<{ screen: ChildProcess; display: string }> {
  const screen = spawn(
    "Xvfb",
    ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const [number] = (await once(screen.stdout!, "data")) as [Buffer];
  return { screen, display: `:${number.toString().trim()}` };
}

async function until<T>(read: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(200);
    }
  }
}

export async function startWebKit(): Promise<WebKit> {
  const [browser] = globSync("/usr/lib/*/webkit2gtk-4.1/MiniBrowser");
  if (!browser) throw new Error("Install webkit2gtk-driver and xvfb, as `npm test` does on Debian");
  const { screen, display } = await startScreen();
  const port = await freePort();
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], {
    stdio: "ignore",
    // Its sandbox needs namespaces that containers don't give, and there is no graphics card.
    env: {
      ...process.env,
      DISPLAY: display,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
      WEBKIT_DISABLE_DMABUF_RENDERER: "1",
      LIBGL_ALWAYS_SOFTWARE: "1",
    },
  });
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await until(() => call("GET", "/status"));
  const options = { binary: browser, args: ["--automation"] };
  const { sessionId } = (await call("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
  })) as { sessionId: string };
  const session = `/session/${sessionId}`;
  const find = async (path: string): Promise<string> => {
    const found = await call("POST", `${session}/element`, { using: "xpath", value: path });
    return (found as Record<string, string>)[ELEMENT] ?? "";
  };
  return {
    open: async (url) => void (await call("POST", `${session}/url`, { url })),
    reload: async () => void (await call("POST", `${session}/refresh`, {})),
    see: async (path) => void (await until(() => find(path))),
    click: (path) =>
      until(async () => {
        await call("POST", `${session}/element/${await find(path)}/click`, {});
      }),
    run: (script) => call("POST", `${session}/execute/sync`, { script, args: [] }),
    async [Symbol.asyncDispose]() {
      await call("DELETE", session).catch(() => undefined);
      driver.kill();
      screen.kill();
    },
  };
}
