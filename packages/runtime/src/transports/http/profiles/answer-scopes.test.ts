import { expect, it } from "vitest";
import { httpFixture } from "../../../../../../test/support/network/http-sessions.ts";
import type { TokenTable } from "../principal/tokens.ts";

const CALL = { id: "c1", name: "Write", args: { filePath: "/project/a.txt", content: "asked" } };
const TOKENS: TokenTable = {
  ann: [
    "ann-secret",
    { token: "ann-prompt", scopes: ["prompt"] },
    { token: "ann-phone", scopes: ["prompt", "approve"] },
  ],
};

/** A session whose call waits for an approval, and the id of its request. */
async function waiting() {
  const fixture = httpFixture([{ toolCalls: [CALL] }, { text: "Done" }], {
    tokens: TOKENS,
    session: { permissions: { ask: ["Write"] } },
  });
  const path = `/v1/sessions/${await fixture.newSession()}`;
  await fixture.call(`${path}/messages`, { body: { text: "write" } });
  const requestIds = async (): Promise<string[]> => {
    const state = (await (await fixture.call(path)).json()) as {
      pendingPermissions: { id: string }[];
    };
    return state.pendingPermissions.map(({ id }) => id);
  };
  await expect.poll(requestIds).toHaveLength(1);
  const [request = ""] = await requestIds();
  return { ...fixture, path, request, requestIds };
}

function agUi(interruptId: string, payload: object): object {
  const resume = [{ interruptId, status: "resolved", payload }];
  return { threadId: "t", runId: crypto.randomUUID(), messages: [], resume };
}

function chat(id: string): object {
  const approval = { id, approved: true };
  const part = { type: "dynamic-tool", state: "approval-responded", approval };
  return { messages: [{ id: "answer", role: "assistant", parts: [part] }] };
}

it.each([
  ["ag-ui", (id: string) => agUi(id, { approved: true })],
  ["ai-sdk-ui", chat],
] as const)(
  "lets a token that may only send messages answer no request by %s",
  async (profile, bodyOf) => {
    const { call, path, request, requestIds } = await waiting();
    const body = bodyOf(request);
    const refused = await call(`${path}/messages?profile=${profile}`, {
      token: "ann-prompt",
      body,
    });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('scope="approve"');
    expect(await requestIds()).toEqual([request]);
  },
);

it("lets an administrator alone change the arguments of a call", async () => {
  const { call, path, request, requestIds } = await waiting();
  const editedArgs = { ...CALL.args, content: "changed" };
  const body = agUi(request, { approved: true, editedArgs });
  const send = (token: string): Promise<Response> =>
    call(`${path}/messages?profile=ag-ui`, { token, body });
  const refused = await send("ann-phone");
  expect(refused.headers.get("www-authenticate")).toContain('scope="admin"');
  expect(await requestIds()).toEqual([request]);
  const changed = await send("ann-secret");
  expect(await changed.text()).toContain("RUN_FINISHED");
  const file = await call(`${path}/files/a.txt`);
  expect(await file.text()).toBe("changed");
});
