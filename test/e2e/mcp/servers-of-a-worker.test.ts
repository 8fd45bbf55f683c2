import { afterAll, beforeAll, expect, it } from "vitest";
import { type HttpMcpServer, serveWeather } from "../../support/mcp/http-server.ts";
import {
  type Asked,
  type Reply,
  type ScriptedService,
  scriptedService,
} from "../recovery/scripted-service.ts";
import { startWorkerd, type Workerd } from "../workerd.ts";

let service: ScriptedService;
let newer: HttpMcpServer;
let older: HttpMcpServer;
let workerd: Workerd;

/** The model calls the tool that the prompt names, with the city behind it, and repeats its result. */
function script({ prompt, results }: Asked): Reply {
  const [, name, rest = ""] = /^call (\S+) ?(.*)$/.exec(prompt) ?? [];
  if (name === undefined || results.length > 0) return { words: [results.at(-1) ?? prompt] };
  const args = name === "ReadMcpResource" ? { resource: rest } : rest === "" ? {} : { city: rest };
  return { calls: [{ name, args }] };
}

beforeAll(async () => {
  service = await scriptedService(script, { delayMs: 0 });
  [newer, older] = await Promise.all([serveWeather("2026-07-28"), serveWeather("2025-11-25")]);
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    reachesLoopback: true,
    variables: {
      API_TOKEN: "secret",
      OPENAI_API_KEY: "unused",
      OPENAI_MODEL: "scripted-1",
      OPENAI_BASE_URL: service.url,
      SESSION_SETTINGS: JSON.stringify({
        permissions: { allow: ["mcp__newer__*", "mcp__older__*"], ask: ["mcp__older__forecast"] },
        mcpServers: { newer: { url: newer.url }, older: { url: older.url } },
      }),
    },
  });
});
afterAll(async () => {
  for (const server of [workerd, newer, older, service]) await server[Symbol.asyncDispose]();
});

interface Event {
  type: string;
  text?: string;
  response?: string;
  state?: string;
  request?: { id: string; tool: string; args: Record<string, unknown> };
}

let path = "";

async function call(to: string, body?: object): Promise<Response> {
  const headers = { authorization: "Bearer secret", accept: "text/event-stream" };
  const sent = body && { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${workerd.url}/v1/sessions${to}`, { headers, ...sent });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

/** Runs a turn; each of its events goes through `onEvent`. Resolves to its answer. */
async function turn(
  text: string,
  onEvent: (event: Event) => Promise<unknown> | undefined = () => undefined,
): Promise<Event> {
  const { body } = await call(`${path}/messages`, { text });
  let rest = "";
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${chunk}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const event = JSON.parse(data) as Event;
      await onEvent(event);
      if (event.type === "turn_end") return event;
    }
  }
  throw new Error("The turn has no end");
}

it("uses everything of the servers in its operator's settings, in both protocols", async () => {
  const { id } = (await (await call("", {})).json()) as { id: string };
  path = `/${id}`;
  const servers = [
    { name: "newer", server: newer },
    { name: "older", server: older },
  ];
  for (const { name, server } of servers) {
    const asked: string[] = [];
    const allow = (event: Event): Promise<unknown> | undefined => {
      const { request } = event;
      if (event.type !== "permission_request" || !request) return undefined;
      asked.push(request.tool);
      const form = request.args["fields"] === undefined ? {} : { answer: { name: "Ada" } };
      return call(`${path}/permissions/${request.id}`, { decision: "allow", ...form });
    };
    // A turn waits only so long for its servers, which a busy machine may not keep.
    await expect
      .poll(async () => {
        const { data } = (await (await call(`${path}/commands/mcp`, {})).json()) as {
          data: { servers: { name: string; state: string }[] };
        };
        return data.servers.find((one) => one.name === name)?.state;
      })
      .toBe("connected");
    const forecast = await turn(`call mcp__${name}__forecast Bern`, allow);
    expect(forecast).toMatchObject({ state: "complete", response: "12 °C in Bern" });
    expect(asked).toEqual(name === "older" ? ["mcp__older__forecast"] : []);

    const read = await turn(`call ReadMcpResource ${name}:weather://map`, allow);
    expect(read.response).toBe("It rains in the north");
    await turn(`What is on @${name}:weather://map?`, allow);
    await call(`${path}/commands/mcp__${name}__trip`, { args: name });
    await expect
      .poll(() => service.requests.map(({ prompt }) => prompt))
      .toContainEqual(expect.stringContaining(`Plan a trip to ${name}`));

    // A question to the person behind a call, whose form is filled in from here.
    const questions: unknown[] = [];
    const greeted = await turn(`call mcp__${name}__greet`, (event) => {
      if (event.type === "permission_request") questions.push(event.request?.args["message"]);
      return allow(event);
    });
    expect(questions).toContain("Who are you?");
    expect(greeted.response).toBe("Hello Ada, pleased to meet you");

    const stopped = await turn(`call mcp__${name}__wait`, (event) => {
      if (event.type !== "tool_output") return allow(event);
      expect(event.text).toBe("1/2 half\n");
      return call(`${path}/abort`, {});
    });
    expect(stopped.state).toBe("interrupted");
    await server.weather.cancelled;

    server.addTool("news");
    await expect
      .poll(async () => (await turn(`call mcp__${name}__news`, allow)).response)
      .toBe("I am new");

    await server.stop();
    expect((await turn(`call mcp__${name}__news`, allow)).response).not.toContain("I am new");
    await server.start();
    expect((await turn(`call mcp__${name}__news`, allow)).response).toBe("I am new");
  }
});
