import { describe, expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createModuleTool, ModuleRegistry } from "./module-registry.ts";
import { createRetrievalModule, type RetrievedPassage } from "./retrieval-module.ts";
import { termsOf } from "./retrieval-terms.ts";
import { Robota } from "../../agent/robota.ts";

const files = {
  "/docs/refunds.md":
    "# Refunds\n\nCustomers may return goods within thirty days.\nMoney comes back within a week.\n",
  "/docs/shipping.md": "# Shipping\n\nWe ship goods every day.\nDelivery takes three days.\n",
  "/docs/api/client.ts": "export function openConnection(maxRetries: number) {}\n",
  "/docs/ko.md": "환불은 삼십일 이내에 가능합니다.\n",
  "/docs/.gitignore": "build\n",
  "/docs/build/refunds.md": "refund refund refund",
  "/docs/logo.png": new Uint8Array([0, 1, 2]),
};

async function find(
  query: string,
  platform = memoryPlatform({ files }),
): Promise<RetrievedPassage[]> {
  const registry = new ModuleRegistry([
    createRetrievalModule({ fs: platform.fs, directory: "/docs" }),
  ]);
  return (await registry.execute("retrieve", { query })) as RetrievedPassage[];
}

const paths = async (query: string): Promise<string[]> =>
  (await find(query)).map(({ path }) => path);

describe("retrieval", () => {
  it("finds relevant passages, best first", async () => {
    expect((await paths("how can I get a refund for my goods"))[0]).toBe("/docs/refunds.md");
    expect((await paths("days of delivery"))[0]).toBe("/docs/shipping.md");
    expect(await paths("retry connections")).toEqual(["/docs/api/client.ts"]);
    expect((await paths("max retries of a connection"))[0]).toBe("/docs/api/client.ts");
    expect(await paths("환불")).toEqual(["/docs/ko.md"]);
    expect(await paths("zeppelin")).toEqual([]);
  });

  it("reports where a passage is", async () => {
    const long = Array.from({ length: 70 }, (_, index) => `line ${index + 1}`);
    long[64] = "the needle";
    const platform = memoryPlatform({ files: { "/docs/long.txt": long.join("\n") } });
    const [passage] = await find("needle", platform);
    expect(passage).toMatchObject({ path: "/docs/long.txt", startLine: 61, endLine: 70 });
    expect(passage?.text.split("\n")).toHaveLength(10);
  });

  it("starts passages at headings", async () => {
    const section = (name: string): string => `# ${name}\n\na\nb\nc\nd\n`;
    const text = ["One", "Two", "Three"].map(section).join("");
    const platform = memoryPlatform({ files: { "/docs/a.md": text } });
    expect(await find("two", platform)).toMatchObject([{ startLine: 7, endLine: 12 }]);
  });

  it("notices added, changed and removed files", async () => {
    const platform = memoryPlatform({ files });
    const registry = new ModuleRegistry([
      createRetrievalModule({ fs: platform.fs, directory: "/docs" }),
    ]);
    const found = async (query: string): Promise<string[]> =>
      ((await registry.execute("retrieve", { query })) as RetrievedPassage[]).map(
        ({ path }) => path,
      );
    expect(await found("warranty")).toEqual([]);
    await platform.fs.writeFile("/docs/new.md", "Warranty of two years");
    expect(await found("warranty")).toEqual(["/docs/new.md"]);
    await platform.fs.writeFile("/docs/new.md", "Nothing of the kind any more");
    expect(await found("warranty")).toEqual([]);
    await platform.fs.remove("/docs/refunds.md");
    expect(await found("refunds")).toEqual([]);
  });

  it("refuses an empty query, and ends on abort", async () => {
    await expect(find(" ?! ")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    const module = createRetrievalModule({ fs: memoryPlatform({ files }).fs, directory: "/docs" });
    const registry = new ModuleRegistry([module]);
    await expect(registry.execute("retrieve", { query: "a", limit: 99 })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    await expect(
      registry.execute("retrieve", { query: "a" }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  it("answers an agent's questions about a folder", async () => {
    const { fs } = memoryPlatform({ files });
    const registry = new ModuleRegistry([createRetrievalModule({ fs, directory: "/docs" })]);
    const tool = createModuleTool(registry, "retrieve", {
      access: "read",
      parameters: {
        type: "object",
        properties: { query: { type: "string" }, limit: { type: "integer" } },
        required: ["query"],
      },
    });
    const provider = new ScriptedProvider([
      { toolCalls: [{ name: "retrieve", args: { query: "return goods", limit: 1 } }] },
      ({ messages }) => ({ text: JSON.stringify(messages.at(-1)?.content) }),
    ]);
    const { text } = await new Robota({ provider, tools: [tool] }).run("May I return it?");
    expect(text).toContain("within thirty days");
  });
});

it("matches across case, plural, compound names and missing spaces", () => {
  expect(termsOf("Retries of openConnection, max_size & HTTP2Server")).toEqual([
    "retry",
    "of",
    "open",
    "connection",
    "max",
    "size",
    "http2",
    "server",
  ]);
  expect(termsOf("検索 한국어 ﬁne glass")).toEqual(["検索", "한국", "국어", "fine", "glass"]);
});
