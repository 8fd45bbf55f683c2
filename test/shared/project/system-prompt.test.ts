import { InteractiveSession, replaySession } from "@robota/runtime";
import { withHost } from "#host";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { hostWith, openSession, systemText } from "../../support/settings-support.ts";

const TRUST = { trustWorkspace: true } as const;

describe("S-260: the system prompt", () => {
  const files = {
    "/work/AGENTS.md": "For agents",
    "/work/CLAUDE.md": "For Claude",
    "/work/.robota/settings.json": { language: "Korean" },
  };

  it("is assembled of sections, which the session reports", async () => {
    const { session, provider } = openSession(hostWith(files), TRUST, [{ text: "ok" }]);
    await session.submit("hi");
    const told = systemText(provider);
    const sections = [
      ["role", "You are an agent"],
      ["cwd", "Working directory: /work."],
      ["permissions", "Permission mode: default."],
      ["tools", "Tools: Bash, Read, Write"],
      ["language", "Answer in Korean."],
      ["AGENTS.md", "For agents"],
      ["CLAUDE.md", "For Claude"],
    ];
    const at = sections.map(([, text]) => told.indexOf(text ?? ""));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    const report = session.getSystemPromptReport();
    expect(report?.sections.map(({ section }) => section)).toEqual(sections.map(([name]) => name));
    expect(report?.sections.map(({ state }) => state)).toEqual(sections.map(() => "included"));
    expect(report?.sections.slice(-2).map(({ source }) => source)).toEqual([
      "AGENTS.md",
      "CLAUDE.md",
    ]);
    expect(report?.tokens).toBe(Math.ceil(told.length / 2));
    await session.shutdown();
  });

  it("reports the language chosen later, and S-256: it survives a compaction", async () => {
    const { session, provider } = openSession(hostWith(files), TRUST, [
      { text: "ok" },
      { text: "The gist." },
      { text: "ok" },
    ]);
    await session.submit("hi");
    const before = session.getSystemPromptReport();
    await session.setLanguage("Portuguese");
    await session.compact();
    await session.submit("again");
    const said = JSON.stringify(provider.requests.at(-1)?.messages[0]);
    expect(said).toContain("Answer in Portuguese.");
    expect(said).not.toContain("Answer in Korean.");
    const after = session.getSystemPromptReport();
    expect(after?.sections.map(({ section }) => section)).toEqual(
      before?.sections.map(({ section }) => section),
    );
    expect(after?.tokens).toBe((before?.tokens ?? 0) + 2);
    await session.shutdown();
  });

  it("follows a switched provider in what it says of web search, also after a restart and in a replay", async () => {
    const searching = (name: string, webSearch: boolean) =>
      Object.assign(new ScriptedProvider([{ text: "ok" }, { text: "ok" }], { name }), {
        configureNativeWebTools: () => ({ webSearch, chatOptions: {} }),
      });
    const [plain, other] = [searching("plain", false), searching("other", true)];
    const platform = hostWith(files);
    const options = { ...TRUST, platform, cwd: "/work", provider: plain, providers: [other] };
    const session = new InteractiveSession(options);
    const sections = (of: InteractiveSession) =>
      of.getSystemPromptReport()?.sections.map(({ section }) => section);
    await session.submit("hi");
    const before = session.getSystemPromptReport();
    expect(sections(session)).not.toContain("web-search");
    await session.setModel({ provider: "other", model: "scripted" });
    await session.submit("hi");
    expect(sections(session)?.slice(4)).toEqual([
      "language",
      "web-search",
      "AGENTS.md",
      "CLAUDE.md",
    ]);
    expect(systemText(other)).toContain("the service searches the web itself");
    expect(session.getSystemPromptReport()?.tokens).toBeGreaterThan(before?.tokens ?? 0);
    const { sessionId } = session;
    await session.shutdown();

    const again = new InteractiveSession({ ...options, resumeSessionId: sessionId });
    await again.ready;
    expect(sections(again)).toContain("web-search");
    await again.setModel({ provider: "plain", model: "scripted" });
    await again.submit("hi");
    expect(again.getSystemPromptReport()).toEqual(before);
    expect(JSON.stringify(plain.requests.at(-1)?.messages[0])).not.toContain("web_search");
    await again.shutdown();

    const { storage } = platform;
    const recorded = await Array.fromAsync(storage.read(`sessions/${sessionId}`));
    const { records } = await replaySession({ storage, sessionId }, memoryPlatform());
    expect(records).toEqual(recorded.map(({ value }) => value));
  });

  it("has instructions for web search when the model's service searches", async () => {
    const provider = new ScriptedProvider([{ text: "ok" }]);
    const searching = Object.assign(provider, {
      configureNativeWebTools: () => ({ webSearch: true, chatOptions: {} }),
    });
    const session = new InteractiveSession({
      platform: hostWith({}),
      cwd: "/work",
      provider: searching,
    });
    await session.submit("hi");
    expect(systemText(provider)).toContain("web_search");
    const names = session.getSystemPromptReport()?.sections.map(({ section }) => section);
    expect(names).toContain("web-search");
    await session.shutdown();
  });

  it("keeps its sections and their report after a reload, whatever the files say now", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.fs.writeFile(`${cwd}/AGENTS.md`, "Run the tests.");
      const provider = new ScriptedProvider([{ text: "ok" }]);
      const session = new InteractiveSession({ platform, cwd, provider, ...TRUST });
      await session.submit("hi");
      const report = session.getSystemPromptReport();
      expect(report?.sections.at(-1)).toMatchObject({ section: "AGENTS.md", state: "included" });
      await session.shutdown();
      await platform.fs.remove(`${cwd}/AGENTS.md`);
      const again = new InteractiveSession({
        platform,
        cwd,
        provider: new ScriptedProvider([]),
        resumeSessionId: session.sessionId,
      });
      await again.ready;
      expect(again.getSystemPromptReport()).toEqual(report);
      await again.shutdown();
    }));
});

describe("instructions beyond the model's window", () => {
  const paragraphs = (word: string): string =>
    Array.from({ length: 100 }, (_, at) => `${word} ${at} ${"x".repeat(90)}`).join("\n\n");

  it("are cut at a paragraph, the nearest file last, as the report says", async () => {
    const files = {
      "/repo/.git/HEAD": "",
      "/repo/AGENTS.md": paragraphs("far"),
      "/repo/app/AGENTS.md": paragraphs("near"),
    };
    const options = { cwd: "/repo/app", contextWindow: 80_000, ...TRUST };
    const { session, provider } = openSession(hostWith(files), options, [{ text: "ok" }]);
    await session.submit("hi");
    const told = systemText(provider);
    expect(told).toContain("near 99 x");
    expect(told).toContain("far 0 x");
    expect(told).not.toContain("far 99 x");
    expect(told).toMatch(
      /x{90}\n\n\[Cut here: \d+ more characters of \/repo\/AGENTS\.md are not shown\.\]/,
    );
    const report = session.getSystemPromptReport();
    expect(report?.budget).toBe(8_000);
    expect(report?.sections.slice(-2)).toMatchObject([
      { source: "/repo/AGENTS.md", state: "cut", reason: expect.stringContaining("budget") },
      { source: "AGENTS.md", state: "included" },
    ]);
    const { message, data } = (await session.executeCommand("context")) ?? {};
    expect(data).toMatchObject({ systemPrompt: report });
    expect(message).toMatch(
      /\n {2}\/repo\/AGENTS\.md: [\d.]+K tokens, cut \(the budget of the system prompt is used\)\n {2}AGENTS\.md: [\d.]+K tokens$/,
    );
    expect(session.getSettings()?.warnings).toEqual([
      {
        layer: "/repo/AGENTS.md",
        setting: "instructions",
        message: expect.stringMatching(
          /^is in the prompt with \d+ of 4\d{3} tokens: the budget of the system prompt is used$/,
        ),
      },
    ]);
    await session.shutdown();
  });
});
