import { RemoteSession } from "@robota/runtime/transports";
import { describe, expect, it } from "vitest";
import { weather } from "../../support/mcp/weather-server.ts";
import { httpFixture } from "../../support/network/http-sessions.ts";

/** A session on a server whose MCP server asks for a name, in the turn that has begun. */
async function asking() {
  const { server } = weather();
  const script = [{ toolCalls: [{ name: "mcp__weather__greet", args: {} }] }, { text: "done" }];
  const http = httpFixture(script, {
    session: { mcpServers: { weather: { server } }, permissionMode: "bypassPermissions" },
  });
  const session = await RemoteSession.create({
    url: "http://localhost",
    token: "ann-secret",
    fetch: async (input, init) => http.transport.fetch(new Request(input, init)),
  });
  const turn = session.submit("Greet me");
  await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
  const [request] = session.pendingPermissions();
  const greeting = () =>
    JSON.stringify(session.getMessages().filter(({ role }) => role === "tool"));
  return { ...http, session, turn, request, greeting };
}

describe("the form of an MCP server, filled in elsewhere", () => {
  it("says what it needs, and takes the answer of a remote session", async () => {
    const { session, turn, request, greeting } = await asking();
    expect(request?.args).toMatchObject({ required: ["name"], fields: { name: {} } });
    const updatedArgs = { answer: { name: "Ada", polite: false } };
    await session.resolvePermission(request?.id ?? "", { allow: true, updatedArgs });
    await turn;
    expect(greeting()).toContain("Hello Ada");
    await session.shutdown();
  });

  it("takes the answer of a program over HTTP, and asks again for one that does not fit", async () => {
    const { session, turn, request, call, greeting } = await asking();
    const answer = (id: string | undefined, fields: object): Promise<Response> =>
      call(`/v1/sessions/${session.sessionId}/permissions/${id}`, {
        body: { decision: "allow", answer: fields },
      });
    expect((await answer(request?.id, { name: 1 })).status).toBe(204);
    await expect
      .poll(() => session.pendingPermissions().map(({ args }) => args["problems"]))
      .toEqual([[expect.stringContaining("name")]]);
    expect((await answer(session.pendingPermissions()[0]?.id, { name: "Ada" })).status).toBe(204);
    await turn;
    expect(greeting()).toContain("Hello Ada, pleased to meet you");
    await session.shutdown();
  });
});
