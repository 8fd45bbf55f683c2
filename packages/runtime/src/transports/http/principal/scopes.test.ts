import { expect, it } from "vitest";
import { httpFixture } from "../../../../../../test/support/network/http-sessions.ts";
import { httpTransport } from "../http-transport.ts";
import { SCOPES } from "./scopes.ts";
import type { TokenTable } from "./tokens.ts";

const TOKENS: TokenTable = {
  ann: [
    "ann-all",
    ...SCOPES.map((scope) => ({ token: `ann-${scope}`, scopes: [scope] })),
    { token: "ann-phone", scopes: ["approve", "prompt"] },
  ],
};

async function problem(response: Response): Promise<[number, string]> {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
}

it("lets a token do what its scopes say, and names the one that it lacks", async () => {
  const { call } = httpFixture([{ text: "Hello" }], { tokens: TOKENS });
  const made = await call("/v1/sessions", { method: "POST", token: "ann-prompt" });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  const path = `/v1/sessions/${id}`;
  expect((await call(path, { token: "ann-read" })).status).toBe(200);
  const body = { text: "hi" };
  const refused = await call(`${path}/messages`, { token: "ann-read", body });
  expect(refused.headers.get("www-authenticate")).toContain('scope="prompt"');
  expect(await refused.json()).toMatchObject({
    status: 403,
    code: "INSUFFICIENT_SCOPE",
    detail: expect.stringContaining("scope prompt"),
    hint: expect.stringContaining("read"),
  });
  expect((await call(`${path}/messages`, { token: "ann-phone", body })).status).toBe(202);
  for (const token of ["ann-read", "ann-prompt", "ann-phone"]) {
    const gone = await call(path, { method: "DELETE", token });
    expect(await problem(gone)).toEqual([403, "INSUFFICIENT_SCOPE"]);
  }
  expect((await call(path, { method: "DELETE", token: "ann-all" })).status).toBe(204);
});

it("changes the permission mode for an administrator only, also when the session is made", async () => {
  const { call } = httpFixture([], { tokens: TOKENS });
  const body = { permissionMode: "plan" };
  const made = await call("/v1/sessions", { token: "ann-prompt", body });
  expect(await problem(made)).toEqual([403, "INSUFFICIENT_SCOPE"]);
  expect((await call("/v1/sessions", { token: "ann-admin", body })).status).toBe(201);
  const own = await call("/v1/sessions", { method: "POST", token: "ann-all" });
  const { url } = (await own.json()) as { url: string };
  const path = new URL(url).pathname;
  const changed = await call(path, { method: "PATCH", token: "ann-prompt", body });
  expect(await problem(changed)).toEqual([403, "INSUFFICIENT_SCOPE"]);
  const renamed = await call(path, { method: "PATCH", token: "ann-prompt", body: { name: "A" } });
  expect(renamed.status).toBe(200);
});

it("runs a slash command with the scope of what it does", async () => {
  const { call } = httpFixture([], {
    tokens: TOKENS,
    commandScopes: ["read", "write", "privilege"],
  });
  const made = await call("/v1/sessions", { method: "POST", token: "ann-all" });
  const { id } = (await made.json()) as { id: string };
  const run = (name: string, token: string, args = "plan"): Promise<Response> =>
    call(`/v1/sessions/${id}/commands/${name}`, { token, body: { args } });
  expect((await run("context", "ann-read")).status).toBe(200);
  for (const [name, token, scope] of [
    ["rename", "ann-approve", "prompt"],
    ["mode", "ann-phone", "admin"],
  ] as const) {
    const refused = await run(name, token);
    expect(refused.headers.get("www-authenticate")).toContain(`scope="${scope}"`);
    expect(await problem(refused)).toEqual([403, "INSUFFICIENT_SCOPE"]);
  }
  expect((await run("mode", "ann-admin")).status).toBe(200);
  const names = async (token: string): Promise<string[]> => {
    const listed = await call(`/v1/sessions/${id}/commands`, { token });
    return ((await listed.json()) as { commands: { name: string }[] }).commands.map(
      ({ name }) => name,
    );
  };
  expect(await names("ann-approve")).not.toContain("rename");
  expect(await names("ann-prompt")).toContain("rename");
});

it("gives nobody more for an administrator's token than the operator lets commands do", async () => {
  const { call } = httpFixture([], { tokens: TOKENS });
  const made = await call("/v1/sessions", { method: "POST", token: "ann-all" });
  const { id } = (await made.json()) as { id: string };
  const body = { args: "plan" };
  const refused = await call(`/v1/sessions/${id}/commands/mode`, { token: "ann-admin", body });
  expect(await problem(refused)).toEqual([403, "COMMAND_REFUSED"]);
});

it("starts with no table that says something it does not know", () => {
  const tables: [unknown, RegExp][] = [
    [{ ann: { token: "x", scopes: ["reed"] } }, /unknown scope "reed"/],
    [{ ann: { token: "x", scopes: [] } }, /no scope/],
    [{ ann: { token: "x", scope: ["read"] } }, /known form/],
    [{ ann: { token: "x", scopes: ["read"], until: 1 } }, /known form/],
    [{ ann: { token: "", scopes: ["read"] } }, /empty/],
    [{ ann: ["x", { token: "y" }] }, /known form/],
    [{ ann: 1 }, /known form/],
    [{ ann: "same", bob: { token: "same", scopes: ["read"] } }, /same token/],
  ];
  for (const [tokens, message] of tables) {
    expect(() => httpTransport({ tokens: tokens as TokenTable }), JSON.stringify(tokens)).toThrow(
      message,
    );
  }
});
