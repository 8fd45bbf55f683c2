import { describe, expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { toolContext } from "../../../../../test/support/tool-context.ts";
import { document, toolsOf } from "../../../../../test/support/openapi.ts";

describe("answers", () => {
  const one = document({ "/x": { get: { operationId: "x" } } });

  it("with an error status are failed results with status, body and delay", async () => {
    const { call } = await toolsOf(one, {}, () =>
      Response.json({ message: "slow down" }, { status: 429, headers: { "retry-after": "30" } }),
    );
    const result = await call("x");
    expect(result).toMatchObject({ success: false, errorCode: "http_429", data: { status: 429 } });
    expect(result.output).toContain("Retry-After: 30");
    expect(result.output).toContain('{"message":"slow down"}');
  });

  it("without content or with no text are reported so", async () => {
    const empty = await toolsOf(one, {}, () => new Response(null, { status: 204 }));
    expect((await empty.call("x")).output).toBe("(204, without content)");
    const binary = await toolsOf(
      one,
      {},
      () =>
        new Response(new Uint8Array([1, 0, 2]), { headers: { "content-type": "application/zip" } }),
    );
    expect((await binary.call("x")).output).toBe(
      "(3 bytes of application/zip, which can't be shown)",
    );
    const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const image = await toolsOf(one, {}, () => new Response(picture));
    expect((await image.call("x")).output).toEqual([
      { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
    ]);
  });

  it("are read up to a limit", async () => {
    let cancelled = false;
    const endless = (): Response =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(600))),
          cancel: () => void (cancelled = true),
        }),
      );
    const { call } = await toolsOf(one, { maxResponseBytes: 1000 }, endless);
    const { output } = await call("x");
    expect(output).toBe(`${"x".repeat(1000)}\n[… cut after 1,000 bytes …]`);
    expect(cancelled).toBe(true);
  });

  it("that redirect are not followed", async () => {
    const { call, requests } = await toolsOf(
      one,
      {},
      () => new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
    );
    expect(await call("x")).toMatchObject({ success: false, errorCode: "redirect" });
    expect(requests[0]?.redirect).toBe("manual");
  });

  it("that never arrive end with a timeout, or with the turn", async () => {
    const never = (request: Request): Promise<Response> =>
      new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason as Error)),
      );
    const { call, tools } = await toolsOf(one, { timeoutMs: 20 }, never);
    expect(await call("x")).toMatchObject({ success: false, errorCode: "timeout" });
    const stop = new AbortController();
    const context = toolContext(memoryPlatform(), { signal: stop.signal });
    const stopped = tools[0]?.execute({}, context);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });
});
