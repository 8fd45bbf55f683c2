import { describe, expect, it } from "vitest";
import { eventsUntil, httpFixture } from "../../../../../test/support/network/http-sessions.ts";

interface Listed {
  name: string;
  scope: string;
  subcommands?: { name: string }[];
}

function fixture(...[script, options]: Parameters<typeof httpFixture>): ReturnType<
  typeof httpFixture
> & {
  run: (id: string, name: string, args?: string) => Promise<Response>;
} {
  const http = httpFixture(script, options);
  const run = (id: string, name: string, args?: string): Promise<Response> =>
    http.call(`/v1/sessions/${id}/commands/${name}`, {
      method: "POST",
      ...(args !== undefined && { body: { args } }),
    });
  return { ...http, run };
}

async function codeOf(response: Response): Promise<[number, string]> {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
}

describe("commands over HTTP", () => {
  it("are listed as the caller's scopes allow", async () => {
    const { call, newSession } = fixture();
    const id = await newSession();
    const response = await call(`/v1/sessions/${id}/commands`);
    const { commands } = (await response.json()) as { commands: Listed[] };
    expect(commands).toContainEqual(
      expect.objectContaining({
        name: "mode",
        description: "Show or change permission mode",
        source: "builtin",
        scope: "read",
        argumentHint: "[mode]",
      }),
    );
    const mode = commands.find(({ name }) => name === "mode");
    expect(mode?.subcommands?.map(({ name }) => name)).toContain("plan");
    // A fork needs an owner: POST fork makes it.
    expect(commands.map(({ name }) => name)).not.toContain("fork");
    expect((await call(`/v1/sessions/${id}/commands`, { token: "bob-secret" })).status).toBe(404);
  });

  it("are completed while typed, as the caller's scopes allow", async () => {
    const { call, newSession } = fixture();
    const id = await newSession();
    const complete = async (text: string, cursor?: number): Promise<unknown> => {
      const body = { text, ...(cursor !== undefined && { cursor }) };
      const response = await call(`/v1/sessions/${id}/complete`, { body });
      const { completions } = (await response.json()) as { completions: { value: string }[] };
      return completions.map(({ value }) => value);
    };
    expect(await complete("/ren")).toEqual(["/rename"]);
    expect(await complete("/rename it", 4)).toEqual(["/rename"]);
    expect(await complete("/mode pl")).toEqual(["plan"]);
    // A fork needs an owner: POST fork makes it.
    expect(await complete("/fo")).toEqual([]);
    expect(await complete("no command")).toEqual([]);
  });

  it("run once however often they are sent with their key, and again without one", async () => {
    const { newSession, call, provider } = fixture([
      { text: "one" },
      { text: "a summary" },
      { text: "two" },
      { text: "another summary" },
    ]);
    const id = await newSession();
    const talk = async (text: string): Promise<void> => {
      const headers = { accept: "text/event-stream" };
      await (await call(`/v1/sessions/${id}/messages`, { body: { text }, headers })).text();
    };
    const compact = (args = "", key?: string): Promise<Response> =>
      call(`/v1/sessions/${id}/commands/compact`, {
        body: { args },
        headers: key === undefined ? {} : { "idempotency-key": key },
      });
    await talk("go");
    const [first, second] = await Promise.all([compact("", "k"), compact("", "k")]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const result = await first.json();
    expect(result).toMatchObject({ success: true });
    expect(await second.json()).toEqual(result);
    await talk("on");
    expect(await (await compact("", "k")).json()).toEqual(result);
    expect(provider.requests).toHaveLength(3);
    expect(await codeOf(await compact("other", "k"))).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    expect((await compact()).status).toBe(200);
    expect(provider.requests).toHaveLength(4);
  });

  it("answer with their result", async () => {
    const { newSession, run, call } = fixture();
    const id = await newSession();
    const renamed = await run(id, "rename", "Over the wire");
    expect(renamed.status).toBe(200);
    expect(await renamed.json()).toEqual({
      message: 'Renamed to "Over the wire".',
      success: true,
      data: { name: "Over the wire" },
    });
    expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({
      name: "Over the wire",
    });
    expect(await (await run(id, "context")).json()).toMatchObject({ success: true });
    expect(await (await run(id, "rename", "")).json()).toMatchObject({ success: false });
    expect(await (await run(id, "model", "claude-opus-5")).json()).toMatchObject({
      data: { modelId: "claude-opus-5" },
    });
  });

  it("refuse unknown names, malformed bodies and other people's sessions", async () => {
    const { newSession, run, call } = fixture();
    const id = await newSession();
    expect(await codeOf(await run(id, "nothing"))).toEqual([404, "NO_SUCH_COMMAND"]);
    const path = `/v1/sessions/${id}/commands/context`;
    expect((await call(path, { body: { args: 1 } })).status).toBe(422);
    expect((await call(path, { body: { more: "x" } })).status).toBe(422);
    expect((await call(path, { method: "POST", token: "bob-secret" })).status).toBe(404);
    expect((await call(path, { method: "POST", token: null })).status).toBe(401);
  });

  it("never change what the agent may do, unless the operator allows it", async () => {
    const { newSession, run, call } = fixture();
    const id = await newSession();
    for (const [name, args] of [
      ["mode", "bypassPermissions"],
      ["mode", "plan"],
      ["permissions", "revoke Bash(x)"],
    ] as const) {
      const refused = await run(id, name, args);
      expect(await codeOf(refused)).toEqual([403, "COMMAND_REFUSED"]);
    }
    expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({
      permissionMode: "default",
    });
    const open = fixture([], { commandScopes: ["read", "write", "privilege"] });
    const other = await open.newSession();
    expect((await open.run(other, "mode", "plan")).status).toBe(200);
    const reading = fixture([], { commandScopes: ["read"] });
    const third = await reading.newSession();
    expect(await codeOf(await reading.run(third, "rename", "x"))).toEqual([403, "COMMAND_REFUSED"]);
  });
});

describe("a command with a prompt over HTTP", () => {
  const commandSources = [
    {
      name: "test",
      getCommands: () => [
        {
          name: "plugin:review",
          description: "Reviews",
          source: "test",
          prompt: (args: string) => ({ text: `Review ${args}` }),
        },
      ],
    },
  ];

  it("begins a turn, once per Idempotency-Key", async () => {
    const { newSession, call, provider, errors } = fixture([{ text: "Fine" }, { text: "Again" }], {
      session: { commandSources },
    });
    const id = await newSession();
    const send = (headers = {}): Promise<Response> =>
      call(`/v1/sessions/${id}/commands/plugin%3Areview`, { body: { args: "a.ts" }, headers });
    const first = await send({ "idempotency-key": "k" });
    expect(first.status).toBe(202);
    const taken = (await first.json()) as { turnId: string };
    const events = await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
    expect(events.at(-1)).toMatchObject({ turnId: taken.turnId, response: "Fine" });
    expect(events.find(({ type }) => type === "turn_start")).toMatchObject({
      input: "Review a.ts",
      displayInput: "/plugin:review a.ts",
    });
    expect(await (await send({ "idempotency-key": "k" })).json()).toEqual(taken);
    expect(provider.requests).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});
