import { expect, it } from "vitest";
import { httpFixture } from "../../../../../test/support/network/http-sessions.ts";
import { operationList } from "./operations.ts";

it("shows every operation on a page without scripts, which lets in nothing but its own style", async () => {
  const { call } = httpFixture();
  const page = await call("/docs", { token: null });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const text = await page.text();
  for (const { method, path } of operationList)
    expect(text).toContain(`${method} ${path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}")}`);
  expect(text).not.toMatch(/<script|https?:\/\/|\son\w+=/i);
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`style-src ${source}`);
  expect(policy).not.toContain("unsafe");
});

it("answers OPTIONS with the methods of a path, HEAD without a body, and any other method with 405", async () => {
  const { call, newSession } = httpFixture();
  const id = await newSession();
  const options = await call(`/v1/sessions/${id}`, { method: "OPTIONS", token: null });
  expect([options.status, options.headers.get("allow")]).toEqual([
    204,
    "DELETE, GET, HEAD, PATCH, OPTIONS",
  ]);
  const unknown = await call("/v1/nothing", { method: "OPTIONS", token: null });
  expect(unknown.status).toBe(404);
  const wrong = await call(`/v1/sessions/${id}/messages`, { method: "PUT" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  expect(wrong.headers.get("content-type")).toBe("application/problem+json");
  for (const path of ["", "/messages", "/files", "/events", "/log"]) {
    const head = await call(`/v1/sessions/${id}${path}`, { method: "HEAD" });
    expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
  }
  expect((await call(`/v1/sessions/${id}/abort`, { method: "HEAD" })).status).toBe(405);
});

it("reports each request without its content, and names only by their hashes", async () => {
  const records: object[] = [];
  const { call, newSession } = httpFixture([{ text: "x" }], {
    onRequest: (record) => records.push(record),
  });
  const id = await newSession();
  await call(`/v1/sessions/${id}/messages?x=secret`, { body: { text: "private" } });
  await call("/v1/sessions", { token: "guess" });
  await call("/nothing/private", { token: null });
  expect(records).toMatchObject([
    { method: "POST", route: "/v1/sessions", status: 201, principal: expect.any(String) },
    { method: "POST", route: "/v1/sessions/:id/messages", status: 202, ms: expect.any(Number) },
    { method: "GET", route: "/v1/sessions", status: 401 },
    { method: "GET", route: "unknown", status: 404 },
  ]);
  const text = JSON.stringify(records);
  for (const word of [id, "ann", "private", "secret", "guess"]) expect(text).not.toContain(word);
  expect(Object.keys(records[2] ?? {})).not.toContain("principal");
});
