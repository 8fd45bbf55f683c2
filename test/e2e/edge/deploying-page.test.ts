import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { RemoteSession } from "@robota/runtime/transports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd } from "../workerd.ts";

const root = join(import.meta.dirname, "../../..");
let page: string;
let folder: string;

beforeAll(async () => {
  page = await readFile(join(root, "docs/deploying.md"), "utf8");
  // Inside of the tests, where the packages resolve.
  folder = await mkdtemp(join(root, "test/.deploying-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The page's code block in a language that contains a text. */
function block(language: string, text: string): string {
  const blocks = page.matchAll(/^```(\w+)\n([^]*?)^```$/gm);
  for (const [, kind, code = ""] of blocks)
    if (kind === language && code.includes(text)) return code;
  throw new Error(`No ${language} with ${text}`);
}

it("the page's own worker serves lasting sessions under the ids of their addresses, to callers with its token", async () => {
  const entry = join(folder, "worker.ts");
  await writeFile(entry, block("ts", "DurableObject"));
  const { durable_objects: objects, migrations } = JSON.parse(block("json", "migrations"));
  expect(objects.bindings).toEqual([{ name: "AGENTS", class_name: "Agent" }]);
  expect(migrations[0].new_sqlite_classes).toEqual(["Agent"]);
  await using workerd = await startWorkerd({
    entry,
    objects: { AGENTS: "Agent" },
    variables: { TOKEN: "secret" },
  });
  const ask = (token: string, id = "first"): Promise<Response> =>
    fetch(`${workerd.url}/v1/sessions/${id}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
      body: JSON.stringify({ text: "help" }),
    });
  expect((await ask("wrong")).status).toBe(401);
  expect((await ask("secret", "a".repeat(65))).status).toBe(404);
  expect(await (await ask("secret")).text()).toContain("list [glob]");

  await workerd.kill();
  await workerd.start();
  await using session = new RemoteSession({
    url: workerd.url,
    token: "secret",
    sessionId: "first",
  });
  await session.submit("list **/*");
  const prompts = session.getMessages().filter(({ role }) => role === "user");
  expect(prompts.map(({ content }) => content)).toEqual(["help", "list **/*"]);
});

it("the template's worker is the page's own", async () => {
  const template = join(root, "packages/create/templates/worker/src/index.ts");
  expect(await readFile(template, "utf8")).toBe(block("ts", "DurableObject"));
});

it("the page's walk by curl works, line by line", async () => {
  await using workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: { API_TOKEN: "secret" },
  });
  const { stdout } = await promisify(execFile)("bash", ["-euc", block("bash", "curl -sN")], {
    env: { PATH: process.env.PATH ?? "", URL: workerd.url, TOKEN: "secret" },
  });
  expect(stdout).toContain('"type":"turn_end"');
  expect(stdout).toContain('"queued":false');
  expect(stdout).toContain("not this file");
});
