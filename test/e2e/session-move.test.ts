import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chromium, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";
import type {} from "./pages/session-move.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

let chromium: Chromium;
let server: PageServer;
let workerd: Workerd;
let page: Page;
let home: string;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-move-")));
  chromium = await startChromium();
  server = await servePage("test/e2e/pages/session-move.ts", () => {});
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: { API_TOKEN: "secret" },
  });
  page = await chromium.context.newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => "moving" in globalThis);
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await workerd[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

interface Status {
  state: string;
  pendingPermissions: { id: string; tool: string; args: Record<string, unknown> }[];
}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: "Bearer secret" };
  const response = await fetch(`${workerd.url}/v1/sessions${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

async function send(path: string, body: object): Promise<Response> {
  return call(path, { method: "POST", body: JSON.stringify(body) });
}

/** Allows what a session in workerd asks for, until its turn has ended. */
async function allowAll(id: string): Promise<string[]> {
  const allowed: string[] = [];
  for (;;) {
    const status = (await (await call(`/${id}`)).json()) as Status;
    if (status.state === "idle") return allowed;
    for (const request of status.pendingPermissions) {
      await send(`/${id}/permissions/${request.id}`, { decision: "allow" });
      allowed.push(request.tool);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it("moves from Chromium to workerd to Node and back to Chromium, with a pending approval", async () => {
  // Chromium: a turn that writes, and one that waits for its answer.
  await page.evaluate(async () => {
    await moving.begin();
    await moving.turn("write notes.md: written in Chromium");
  });
  const asked = await page.evaluate(() =>
    moving.turnUntilAsked("replace Chromium with a-tab in notes.md"),
  );
  expect(asked).toMatchObject({ tool: "Edit" });
  const fromTab = await page.evaluate(() => moving.export());

  // workerd: the question is answered, and another turn works on the file.
  const { id } = (await (await call("", { method: "POST" })).json()) as { id: string };
  await call(`/${id}/log`, { method: "PUT", body: fromTab });
  const waiting = (await (await call(`/${id}`)).json()) as Status;
  expect(waiting).toMatchObject({
    state: "waiting",
    pendingPermissions: [{ id: asked.id, tool: "Edit", args: asked.args }],
  });
  expect(await allowAll(id)).toEqual(["Edit"]);
  await send(`/${id}/messages`, { text: "run echo and in workerd >> notes.md; cat notes.md" });
  await allowAll(id);
  const { messages } = (await (await call(`/${id}/messages`)).json()) as {
    messages: { role: string; content: string }[];
  };
  expect(messages.findLast(({ role }) => role === "tool")?.content).toContain(
    "written in a-tab\nand in workerd",
  );
  const fromWorker = await call(`/${id}/log`);

  // Node: real files and a real shell.
  const platform = nodePlatform({ home });
  const cwd = join(home, "workspace");
  if (!fromWorker.body) throw new Error("nothing was exported");
  const session = await InteractiveSession.import(platform, fromWorker.body, {
    cwd,
    provider: new OfflineProvider(),
    files: "workspace",
  });
  expect(await readFile(join(cwd, "notes.md"), "utf8")).toBe("written in a-tab\nand in workerd\n");
  session.on("permission_request", (request) => {
    void session.resolvePermission(request.id, { allow: true, scope: "session" });
  });
  await session.submit("run echo and in Node >> notes.md; cat notes.md");
  expect(session.getMessages().findLast(({ role }) => role === "tool")?.content).toContain(
    "and in workerd\nand in Node",
  );
  const fromNode = await new Response(await session.export()).text();
  await session.shutdown();
  await platform.dispose();

  // Back in Chromium, with the past of all three.
  await page.evaluate((exported) => moving.take(exported), fromNode);
  await page.evaluate(() => moving.turn("replace Node with three-hosts in notes.md"));
  const back = await page.evaluate(() => moving.view());
  expect(back.notes).toBe("written in a-tab\nand in workerd\nand in three-hosts\n");
  const prompts = [
    "write notes.md: written in Chromium",
    "replace Chromium with a-tab in notes.md",
    "run echo and in workerd >> notes.md; cat notes.md",
    "run echo and in Node >> notes.md; cat notes.md",
    "replace Node with three-hosts in notes.md",
  ];
  expect(back.prompts).toEqual(prompts);
  expect(back.checkpoints.map(({ input }) => input)).toEqual(prompts);
  // Grants of one host do not hold on the next.
  expect(back.grants).toEqual([]);

  // Each checkpoint brings back what was there on the host where it was made.
  const notes = [
    "written in a-tab\nand in workerd\nand in Node\n",
    "written in a-tab\nand in workerd\n",
    "written in a-tab\n",
    "written in Chromium\n",
  ];
  for (const [index, expected] of notes.entries()) {
    const checkpoint = back.checkpoints.at(-1 - index)?.id ?? "";
    await page.evaluate((checkpointId) => moving.rewind(checkpointId), checkpoint);
    const view = await page.evaluate(() => moving.view());
    expect(view.notes).toBe(expected);
    expect(view.prompts).toEqual(prompts.slice(0, prompts.length - 1 - index));
  }
});

it("rewinds and forks in workerd, and exports from there to Node's own server", async () => {
  const { id } = (await (await call("", { method: "POST" })).json()) as { id: string };
  for (const text of ["write notes.md: one", "run echo two > notes.md"]) {
    await send(`/${id}/messages`, { text });
    await allowAll(id);
  }
  const { checkpoints } = (await (await call(`/${id}/checkpoints`)).json()) as {
    checkpoints: { id: string; input: string }[];
  };
  const at = checkpoints[1]?.id ?? "";
  const made = await send(`/${id}/fork`, { at });
  expect(made.status).toBe(201);
  const { id: fork } = (await made.json()) as { id: string };
  await send(`/${fork}/messages`, { text: "run cat notes.md" });
  await allowAll(fork);
  expect(await lastResult(fork)).toContain("one");
  // The one it came from is as it was, until it is rewound itself.
  await send(`/${id}/messages`, { text: "run cat notes.md" });
  await allowAll(id);
  expect(await lastResult(id)).toContain("two");
  await send(`/${id}/rewind`, { checkpointId: at, what: "files" });
  await send(`/${id}/messages`, { text: "run cat notes.md" });
  await allowAll(id);
  expect(await lastResult(id)).toContain("one");

  const exported = await call(`/${id}/log?files=workspace`);
  if (!exported.body) throw new Error("nothing was exported");
  await using host = await nodeServer();
  const created = await host.call("", { method: "POST" });
  const { id: moved } = (await created.json()) as { id: string };
  const put = { method: "PUT", body: exported.body, duplex: "half" };
  expect((await host.call(`/${moved}/log`, put)).status).toBe(204);
  const { messages } = (await (await host.call(`/${moved}/messages`)).json()) as {
    messages: { role: string }[];
  };
  expect(messages.length).toBeGreaterThan(8);
  // Over the network, nothing is put into the server's own files.
  expect(await readdir(host.cwd)).toEqual([]);
});

async function lastResult(id: string): Promise<string> {
  const { messages } = (await (await call(`/${id}/messages`)).json()) as {
    messages: { role: string; content: string }[];
  };
  return messages.findLast(({ role }) => role === "tool")?.content ?? "";
}

interface NodeServer extends AsyncDisposable {
  cwd: string;
  call(path: string, init?: RequestInit): Promise<Response>;
}

/** The HTTP transport behind a server of Node, over real files. */
async function nodeServer(): Promise<NodeServer> {
  const cwd = join(home, "served");
  await mkdir(cwd);
  const platform = nodePlatform({ home: join(home, "server") });
  const sessions = inProcessSessions({
    storage: platform.storage,
    open: (session) =>
      new InteractiveSession({ platform, cwd, provider: new OfflineProvider(), ...session }),
  });
  const transport = httpTransport({ sessions, tokens: { ann: "secret" } });
  const listener = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const init = { method, headers: { authorization: headers.authorization ?? "" } };
    const body = { body: Readable.toWeb(incoming), duplex: "half" };
    const request = new Request(`http://localhost${url}`, {
      ...init,
      ...(method === "PUT" ? (body as RequestInit) : {}),
    });
    void Promise.resolve(transport.fetch(request)).then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    cwd,
    call: (path, init = {}) =>
      fetch(`http://127.0.0.1:${port}/v1/sessions${path}`, {
        ...init,
        headers: { authorization: "Bearer secret" },
      }),
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      listener.close();
      await sessions[Symbol.asyncDispose]();
      await platform.dispose();
    },
  };
}
