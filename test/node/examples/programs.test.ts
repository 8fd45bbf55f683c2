import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runExample, serveExample } from "./run-example.ts";

const run = promisify(execFile);
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "robota-examples-"));
});
afterAll(() => rm(home, { recursive: true }));

it.each([
  ["tool.ts", ["Allowing Order { item: 'apples', count: 4 }", "Done: 7 apples. { apples: 7 }"]],
  ["provider.ts", ["HELLO THERE"]],
  ["hooks.ts", ["Created", "Blocked by hook: Change the source instead.", "{ 'Write' => 1 }"]],
  [
    "subagents.ts",
    ["→ Explore: Review the API", "← complete: Review the tests: looks good.", "Both parts"],
  ],
  ["mcp.ts", ["The agent wants to use mcp__weather__forecast", "The forecast: 12 °C in Oslo"]],
  ["replay.ts", ["pass 3", "fail 0"]],
])("%s runs, and says what it did", async (name, expected) => {
  const { command, args, options } = runExample(name, home);
  const { stdout } = await run(command, args, options);
  for (const text of expected) expect(stdout).toContain(text);
});

describe.each(["hono-server.ts", "express-server.ts"])("%s", (name) => {
  it("serves its own page, and sessions to callers with the token", async () => {
    await using server = await serveExample(name, home);
    expect(await (await fetch(server.url)).text()).toBe("My server");
    const create = (token: string): Promise<Response> =>
      fetch(`${server.url}/v1/sessions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await create("wrong")).status).toBe(401);
    const { id }: { id: string } = await (await create("secret")).json();
    const answer = await fetch(`${server.url}/v1/sessions/${id}/messages`, {
      method: "POST",
      headers: { authorization: "Bearer secret", accept: "text/event-stream" },
      body: JSON.stringify({ text: "help" }),
    });
    expect(await answer.text()).toContain("list [glob]");
  });
});
