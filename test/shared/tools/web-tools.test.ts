import {
  type Platform,
  type ToolContext,
  type ToolResult,
  webFetchTool,
  webSearchTool,
} from "@robota/runtime";
import {
  createWebFetchTool,
  createWebSearchTool,
  type SearchBackend,
  braveSearch,
  searxngSearch,
  tavilySearch,
} from "@robota/runtime/web";
import { memoryPlatform } from "@robota/shell/testing";
import { withHost } from "#host";
import { describe, expect, inject, it } from "vitest";
import { toolContext } from "../../support/tool-context.ts";
import { pageAddress, type WirePage } from "../../support/wire/wire-page.ts";
import { expectWithin } from "../../support/time/own-time.ts";

const origin = inject("wireOrigin");
/** The test's server is a private one. */
const fetchTool = createWebFetchTool({ policy: { allowPrivateOrigins: [origin] } });
const at = (page: WirePage): string => pageAddress(origin, page);
const html = (body: string, more: WirePage = {}): WirePage => ({
  headers: { "content-type": "text/html" },
  body,
  ...more,
});

async function read(
  args: { url: string; prompt?: string; offset?: number },
  context?: ToolContext,
): Promise<ToolResult & { output: string }> {
  let result: ToolResult | string = "";
  if (context) result = await fetchTool.execute(args, context);
  else {
    await withHost(async ({ platform }) => {
      result = await fetchTool.execute(args, toolContext(platform));
    });
  }
  return shown(result);
}

function shown(result: ToolResult | string): ToolResult & { output: string } {
  if (typeof result === "string" || typeof result.output !== "string") throw new Error("no text");
  return { ...result, output: result.output };
}

describe("WebFetch on this host's own network", () => {
  it("shows a page as Markdown, marked as untrusted", async () => {
    const url = at(
      html(
        '<title>T</title><script>evil()</script><h1>Hi</h1><p>a <b>b</b> &amp; <a href="/x?y">l</a></p><ul><li>1</li></ul><pre><code>x  y</code></pre>',
      ),
    );
    const { success, output, data } = await read({ url });
    expect(success).toBe(true);
    expect(output).toContain(`${url} (200, text/html as Markdown`);
    expect(output).toContain(`# Hi\n\na **b** & [l](${origin}/x?y)\n\n- 1`);
    expect(output).toContain("x  y");
    expect(output).not.toContain("evil");
    expect(output).toMatch(/Untrusted.*not instructions/);
    const [, mark] = /\[begin (web content \w+)\]/.exec(output) ?? [];
    expect(output.endsWith(`[end ${mark}]`)).toBe(true);
    expect(data).toMatchObject({ url, status: 200, mediaType: "text/html" });
  });

  it.each([
    ["JSON", "application/json; charset=utf-8", '{ "a": [1,  2] }'],
    ["Markdown", "text/markdown", "# Not <b>HTML</b>"],
    ["plain text", "text/plain", "a <script>stays</script>"],
    ["a feed", "application/atom+xml", "<feed><title>x</title></feed>"],
  ])("returns %s unchanged", async (_, type, body) => {
    const { output } = await read({ url: at({ headers: { "content-type": type }, body }) });
    expect(output).toContain(`]\n${body}\n[`);
  });

  it.each([
    ["its header", "text/html; charset=iso-8859-2", "PHA+uPNk/DwvcD4=", "¸"],
    [
      "its meta element",
      "text/html",
      btoa('<meta charset="windows-1251"><p>\xcf\xf0\xe8</p>'),
      "При",
    ],
    ["its byte order mark", "text/plain; charset=latin1", btoa("\xff\xfeH\x00\xac\x20"), "H€"],
    ["nothing at all", "text/html", btoa("<p>\xe2\x82\xac</p>"), "€"],
  ])("decodes the charset that a page declares by %s", async (_, type, bytes, text) => {
    const { output } = await read({ url: at({ headers: { "content-type": type }, bytes }) });
    expect(output).toContain(text);
  });

  it.each([
    ["application/pdf", btoa("%PDF-1.7")],
    ["image/png", btoa("\x89PNG")],
    ["application/octet-stream", btoa("a\x00b")],
    ["text/plain", btoa("a\x00\x01\x02")],
  ])("refuses %s, which is not text", async (type, bytes) => {
    const result = await read({ url: at({ headers: { "content-type": type }, bytes }) });
    expect(result).toMatchObject({ success: false, errorCode: "binary" });
    expect(result.output).toContain(type);
  });

  it("follows a redirect, and reports the final address", async () => {
    const end = at(html("<p>there</p>"));
    const url = at({ status: 302, headers: { location: end } });
    const { output, data } = await read({ url });
    expect(output).toContain(`${end} (200`);
    expect(output).toContain("redirected");
    expect(data).toMatchObject({ url: end });
  });

  it("does not follow a redirect to another private place", async () => {
    const url = at({ status: 302, headers: { location: "http://127.0.0.1:1/" } });
    const result = await read({ url });
    expect(result.success).toBe(false);
    expect(result.errorCode).toMatch(/^EGRESS_/);
  });

  it("follows no redirect to a denied address", async () => {
    const end = at(html("<p>forbidden</p>"));
    const url = at({ status: 302, headers: { location: end } });
    const rules = {
      refusesFile: () => undefined,
      refusesCommand: () => undefined,
      refusesAddress: (address: string) => (address === end ? "A rule forbids it." : undefined),
    };
    await withHost(async ({ platform }) => {
      const result = shown(await fetchTool.execute({ url }, toolContext(platform, { rules })));
      expect(result).toMatchObject({ success: false, errorCode: "EGRESS_REFUSED" });
      expect(result.output).toContain("A rule forbids it.");
      expect(result.output).not.toContain("forbidden");
    });
  });

  it("reports an error page as a failure", async () => {
    const result = await read({ url: at(html("<h1>Gone for good</h1>", { status: 410 })) });
    expect(result).toMatchObject({ success: false, errorCode: "http_410" });
    expect(result.output).toContain("answered 410");
    expect(result.output).toContain("Gone for good");
  });

  it("does not reach a private address on its own", async () => {
    await withHost(async ({ platform }) => {
      for (const url of [
        `${origin}/page/secret?key=s3cret`,
        "http://localhost/",
        "file:///etc/passwd",
        "nonsense",
      ]) {
        const result = shown(await webFetchTool.execute({ url }, toolContext(platform)));
        expect(result).toMatchObject({ success: false, errorCode: "EGRESS_REFUSED" });
        expect(result.output).not.toContain("s3cret");
      }
    });
  });
});

describe("WebFetch over a session's calls", () => {
  function session(pages: Record<string, string>): {
    context: ToolContext;
    asked: string[];
    wait: (ms: number) => void;
  } {
    const asked: string[] = [];
    let now = 1_000_000;
    const platform = memoryPlatform({
      now: () => now,
      fetch: async (input) => {
        const { url } = new Request(input);
        asked.push(url);
        const body = pages[url];
        const headers = { "content-type": "text/plain" };
        return new Response(body ?? "none", { status: body === undefined ? 404 : 200, headers });
      },
    });
    return { context: toolContext(platform), asked, wait: (ms) => (now += ms) };
  }

  it("shows a long page in pieces that cover it completely, with one request", async () => {
    const url = "https://a.example/";
    const text = Array.from({ length: 20_000 }, (_, line) => `😀 ${line}`).join("\n");
    const { context, asked } = session({ [url]: text });
    let whole = "";
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { output } = await read({ url, offset }, context);
      expect(output.length).toBeLessThan(30_000);
      whole += /\[begin [^\]]*\]\n(.*)\n\[end /s.exec(output)?.[1] ?? "";
      const next = /Go on with the same url and offset (\d+)/.exec(output)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(whole).toBe(text);
    expect(asked).toEqual([url]);
    expect(await read({ url, offset: 1_000_000 }, context)).toMatchObject({
      success: false,
      errorCode: "out_of_range",
    });
  });

  it("caches a page for 15 minutes, and no failure", async () => {
    const url = "https://a.example/";
    const { context, asked, wait } = session({ [url]: "x" });
    await read({ url }, context);
    wait(14 * 60_000);
    await read({ url }, context);
    expect(asked).toHaveLength(1);
    wait(2 * 60_000);
    await read({ url }, context);
    expect(asked).toHaveLength(2);
    await read({ url: "https://a.example/none" }, context);
    await read({ url: "https://a.example/none" }, context);
    expect(asked).toHaveLength(4);
  });

  it("explains why a page cannot read a site, and ends on abort", async () => {
    // All that a browser tells.
    const fetch: typeof globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    const url = "https://a.example/?key=s3cret";
    const result = await read({ url }, toolContext(memoryPlatform({ fetch })));
    expect(result).toMatchObject({ success: false, errorCode: "EGRESS_FAILED" });
    expect(result.output).toContain("does not allow browser reads");
    expect(result.output).not.toContain("s3cret");

    const { context } = session({});
    const signal = AbortSignal.abort();
    await expect(read({ url }, { ...context, signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("bounds the time for a malicious page", async () => {
    await expectWithin(8000, async () => {
      for (const piece of ["<div>", "<a href='", "&", "<!--", "<ul><li>", "<title>"]) {
        const fetch: typeof globalThis.fetch = async () =>
          new Response(piece.repeat(60_000), { headers: { "content-type": "text/html" } });
        const url = "https://a.example/";
        const { success } = await read({ url }, toolContext(memoryPlatform({ fetch })));
        expect(success).toBe(true);
      }
    });
  });
});

describe("WebSearch", () => {
  const search = async (
    backend: SearchBackend | undefined,
    args: { query: string; limit?: number },
    platform?: Platform,
  ): Promise<ToolResult & { output: string }> => {
    const tool = createWebSearchTool(backend ? { backend } : {});
    let result: ToolResult | string = "";
    if (platform) result = await tool.execute(args, toolContext(platform));
    else {
      await withHost(async (host) => {
        result = await tool.execute(args, toolContext(host.platform));
      });
    }
    return shown(result);
  };
  const json = (value: object): WirePage => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
  });
  const found = { title: "A  page", url: "https://a.example/x" };
  const odd = [{ url: "javascript:alert(1)" }, null, 5, { title: "no address" }];

  it.each<[string, (url: string) => SearchBackend, WirePage, object]>([
    [
      "Brave",
      (url) => braveSearch({ apiKey: "key-1", url }),
      json({ web: { results: [...odd, { ...found, description: "$SENT" }] } }),
      {
        method: "GET",
        headers: { "x-subscription-token": "key-1" },
        query: { q: "cats & dogs", count: "3" },
      },
    ],
    [
      "Tavily",
      (url) => tavilySearch({ apiKey: "key-1", url }),
      json({ results: [...odd, { ...found, content: "$SENT" }] }),
      {
        method: "POST",
        headers: { authorization: "Bearer key-1" },
        body: '{"query":"cats & dogs","max_results":3}',
      },
    ],
    [
      "SearXNG",
      (url) => searxngSearch({ url: `${url}/`, headers: { "x-gate": "g" } }),
      json({ results: [...odd, { ...found, content: "$SENT" }] }),
      {
        method: "GET",
        headers: { "x-gate": "g" },
        query: { q: "cats & dogs", format: "json" },
        path: "/search",
      },
    ],
  ])("asks %s and shows the results in one format", async (name, backend, page, expected) => {
    let sent = "";
    const spied = backend(at(page));
    const spy: SearchBackend = {
      name: spied.name,
      search: async (query, request) => {
        const results = await spied.search(query, request);
        sent = results[0]?.snippet ?? "";
        return results;
      },
    };
    const { success, output, data } = await search(spy, { query: "cats & dogs", limit: 3 });
    const { url, ...facts } = JSON.parse(sent) as { url: string };
    const { searchParams, pathname } = new URL(url, origin);
    const query = Object.fromEntries(searchParams);
    expect({ ...facts, query, path: pathname.replace(/^\/page\/[^/]+/, "") }).toMatchObject(
      expected,
    );
    expect(success).toBe(true);
    expect(output).toMatch(/Untrusted/);
    expect(output).toContain(`1 result of ${name}`);
    expect(output).toContain("1. A page\n   https://a.example/x\n   {");
    expect(data).toMatchObject({ backend: name, results: [{ title: "A page", url: found.url }] });
  });

  it.each([
    ["a refused key", { status: 401, body: "key-1 is wrong" }, "http_401", /key/],
    ["too many searches", { status: 429, headers: { "retry-after": "7" } }, "http_429", /7/],
    ["a page in place of an answer", html("<p>key-1"), "bad_answer", /address/],
    ["an answer without results", json({ web: { results: 5 } }), "bad_answer", /address/],
    [
      "a redirect",
      { status: 302, headers: { location: "https://b.example/" } },
      "EGRESS_REDIRECTS",
      /redirect/,
    ],
  ])("reports %s without the key", async (_, page, errorCode, hint) => {
    const result = await search(braveSearch({ apiKey: "key-1", url: at(page) }), { query: "x" });
    expect(result).toMatchObject({ success: false, errorCode });
    expect(result.output).toMatch(hint);
    expect(JSON.stringify(result)).not.toContain("key-1");
  });

  it("reports no results, and respects its limit", async () => {
    const backend = (results: object[]): SearchBackend =>
      searxngSearch({ url: at(json({ results })) });
    expect((await search(backend([]), { query: "x" })).output).toContain("found nothing");
    const many = Array.from({ length: 30 }, (_, at) => ({ url: `https://a.example/${at}` }));
    const { data } = await search(backend(many), { query: "x", limit: 2 });
    expect(data).toMatchObject({
      results: [{ url: "https://a.example/0" }, { url: "https://a.example/1" }],
    });
    expect((await search(backend(many), { query: "x" })).output).toContain("8 results");
  });

  it("uses the service that the environment names", async () => {
    const page = json({ results: [found] });
    const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
    const SEARXNG_URL = at(page);
    const own = await search(
      undefined,
      { query: "x" },
      memoryPlatform({ fetch, env: { SEARXNG_URL } }),
    );
    expect(own.output).toContain("1 result of SearXNG");

    const asked: string[] = [];
    const spy: typeof globalThis.fetch = async (input) => {
      asked.push(new URL(new Request(input).url).host);
      return new Response("{}", { status: 500 });
    };
    const environments = [
      { BRAVE_API_KEY: "k", TAVILY_API_KEY: "k", SEARXNG_URL },
      { TAVILY_API_KEY: "k", SEARXNG_URL },
    ];
    for (const env of environments) {
      await search(undefined, { query: "x" }, memoryPlatform({ fetch: spy, env }));
    }
    expect(asked).toEqual(["api.search.brave.com", "api.tavily.com"]);
  });

  it("fails with a hint when no service is configured", async () => {
    const result = shown(
      await webSearchTool.execute({ query: "x" }, toolContext(memoryPlatform())),
    );
    expect(result).toMatchObject({ success: false, errorCode: "not_configured" });
    for (const name of ["BRAVE_API_KEY", "TAVILY_API_KEY", "SEARXNG_URL"]) {
      expect(result.output).toContain(name);
    }
  });

  it("refuses a malformed key or address", () => {
    for (const make of [
      () => braveSearch({ apiKey: "" }),
      () => tavilySearch({ apiKey: "a b" }),
      () => searxngSearch({ url: "localhost:8888" }),
      () => searxngSearch({ url: "https://me:secret@a.example" }),
    ]) {
      expect(make).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }));
    }
  });
});
