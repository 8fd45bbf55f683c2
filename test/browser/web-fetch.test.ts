import { browserPlatform } from "@robota/adapters-web";
import { createWebFetchTool } from "@robota/runtime/web";
import { guardedFetch } from "@robota/runtime/network";
import { expect, inject, it } from "vitest";
import { toolContext } from "../support/tool-context.ts";
import { pageAddress } from "../support/wire/wire-page.ts";

const origin = inject("wireOrigin");
const policy = { allowPrivateOrigins: [origin] };
const headers = { "content-type": "text/plain" };

it("reports a site that does not allow browser reads, and shows nothing of it", async () => {
  await using platform = browserPlatform({ workspace: crypto.randomUUID() });
  const url = pageAddress(origin, { headers, body: "closed", isClosed: true });
  const tool = createWebFetchTool({ policy });
  const result = await tool.execute({ url }, toolContext(platform));
  expect(result).toMatchObject({ success: false, errorCode: "EGRESS_FAILED" });
  expect(result).toMatchObject({ output: expect.stringContaining("does not allow browser reads") });
});

it("never lets the browser send a body or a credential through a hidden redirect", async () => {
  const { fetch } = globalThis;
  const end = pageAddress(origin, { headers, body: '"$SENT"' });
  const url = pageAddress(origin, { status: 307, headers: { location: end } });
  const send = { fetch: fetch.bind(globalThis), policy };
  for (const request of [{ method: "POST", body: "secret" }, { headers: { "x-api-key": "s" } }]) {
    await expect(guardedFetch(url, request, send)).rejects.toMatchObject({
      code: "EGRESS_REDIRECTS",
    });
  }
  const plain = await guardedFetch(url, {}, send);
  expect(plain).toMatchObject({ url: end, redirects: [url] });
  await expect(guardedFetch(url, {}, { ...send, maxRedirects: 0 })).rejects.toMatchObject({
    code: "EGRESS_REDIRECTS",
  });
});

it("shows nothing of a page after a hidden redirect to a denied address", async () => {
  // The same server under another name, which is private and was not configured.
  const other = origin.replace("127.0.0.1", "localhost");
  const end = pageAddress(other, { headers, body: "inside" });
  const url = pageAddress(origin, { status: 302, headers: { location: end } });
  const send = { fetch: globalThis.fetch.bind(globalThis), policy };
  await expect(guardedFetch(url, {}, send)).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
});
