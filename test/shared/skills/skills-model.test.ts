import { withHost } from "#host";
import {
  importSession,
  InteractiveSession,
  type PermissionRequest,
  type Platform,
  replaySession,
} from "@robota/runtime";
import { OPENAI_MODELS } from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { agentsOf } from "../../support/agent-support.ts";
import { CWD, type Files, hostWith, type Script } from "../../support/settings-support.ts";
import { afterCrash, echo, echoCall } from "../../support/support.ts";
import { invocations, skillCall, skillFile } from "./skill-support.ts";

const OPUS = "claude-opus-5";
const HAIKU = "claude-haiku-4-5";
const ECONOMY = skillFile({ model: "haiku", effort: "low" });

function sessionOn(platform: Platform, script: Script, model = OPUS, options = {}) {
  const provider = new ScriptedProvider(script, { model });
  const given = { platform, cwd: CWD, provider, tools: [echo], trustWorkspace: true, ...options };
  const session = new InteractiveSession(given);
  /** The model and the effort of each request so far. */
  const asked = () =>
    provider.requests.map(({ options: { model: own = model, effort } }) => [own, effort]);
  return { session, provider, asked };
}

const withSkill = (files: Files = {}): Files => ({
  [`${CWD}/.robota/skills/tidy/SKILL.md`]: ECONOMY,
  ...files,
});

describe("a skill's model and effort", () => {
  it("answer the turn that a person begins with it, and no other", async () => {
    const { session, asked } = sessionOn(
      hostWith(withSkill()),
      [{ toolCalls: [echoCall("a")] }, { text: "tidied" }, { text: "later" }],
      OPUS,
      { permissionMode: "bypassPermissions" },
    );
    expect(await session.executeCommand("tidy")).toMatchObject({ message: "tidied" });
    await session.submit("and now?");
    expect(asked()).toEqual([
      [HAIKU, "low"],
      [HAIKU, "low"],
      [OPUS, undefined],
    ]);
    expect(session.getModel().model).toBe(OPUS);
    expect(invocations(session)).toEqual([
      { skillName: "tidy", displayInput: "/tidy", model: HAIKU, effort: "low" },
    ]);
    await session.shutdown();
  });

  it("answer from where the model loads it to the end of the turn, at their prices and with their window", async () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 1000,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
    const { session, asked } = sessionOn(hostWith(withSkill()), [
      { toolCalls: [skillCall("tidy")], usage },
      { text: "tidied", usage },
      { text: "later", usage },
    ]);
    const windows = new Set<number>();
    session.on("context_update", ({ maxTokens }) => windows.add(maxTokens));
    await session.submit("tidy up");
    // 5 and 25 dollars a million, then 1 and 5.
    expect(session.getCost()).toBeCloseTo(0.03 + 0.006, 6);
    expect([...windows].toSorted((a, b) => a - b)).toEqual([200_000, 1_000_000]);
    await session.submit("and now?");
    expect(asked()).toEqual([
      [OPUS, undefined],
      [HAIKU, "low"],
      [OPUS, undefined],
    ]);
    expect(session.getContextState().maxTokens).toBe(1_000_000);
    await session.shutdown();
  });

  it("come before a model that a person has chosen, which comes back behind the turn", async () => {
    const { session, asked } = sessionOn(hostWith(withSkill()), [{ text: "one" }, { text: "two" }]);
    await session.setModel("sonnet");
    await session.executeCommand("tidy");
    await session.submit("and now?");
    expect(asked()).toEqual([
      [HAIKU, "low"],
      ["claude-sonnet-5", undefined],
    ]);
    await session.shutdown();
  });

  it("of another service stays unused, and the history says so", async () => {
    const gpt = Object.keys(OPENAI_MODELS)[0];
    const { session, asked } = sessionOn(hostWith(withSkill()), [{ text: "one" }], gpt);
    await session.executeCommand("tidy");
    expect(asked()).toEqual([[gpt, "low"]]);
    expect(invocations(session)).toEqual([
      { skillName: "tidy", displayInput: "/tidy", effort: "low", unavailableModel: HAIKU },
    ]);
    await session.shutdown();
  });

  it("is not used without prices where the budget is in dollars", async () => {
    const files = {
      [`${CWD}/.robota/skills/odd/SKILL.md`]: skillFile({ model: "claude-unheard-of" }),
    };
    const { session, asked } = sessionOn(hostWith(files), [{ text: "one" }], OPUS, {
      budget: { dollars: 1 },
    });
    expect(await session.executeCommand("odd")).toMatchObject({ message: "one" });
    expect(asked()).toEqual([[OPUS, undefined]]);
    expect(invocations(session)).toMatchObject([{ unavailableModel: "claude-unheard-of" }]);
    await session.shutdown();
  });

  it("belong to the agent alone that carries the skill out", async () => {
    const forked = skillFile({ model: "haiku", effort: "max", context: "fork" });
    const files = { [`${CWD}/.robota/skills/tidy/SKILL.md`]: forked };
    const { session, asked } = sessionOn(hostWith(files), [
      { toolCalls: [skillCall("tidy")] },
      { text: "of the agent" },
      { text: "done" },
    ]);
    await session.submit("tidy up");
    expect(asked()).toEqual([
      [OPUS, undefined],
      [HAIKU, "max"],
      [OPUS, undefined],
    ]);
    expect(await agentsOf(session)).toMatchObject([{ model: HAIKU, effort: "max" }]);
    const copy = hostWith({});
    const id = await importSession(copy, await session.export());
    await session.shutdown();
    const { session: imported } = sessionOn(copy, [], OPUS, { resumeSessionId: id });
    expect(await agentsOf(imported)).toMatchObject([{ model: HAIKU, effort: "max" }]);
    await imported.shutdown();
  });

  it("are named in the export of the turn that they answered, and in its history elsewhere", async () => {
    const { session } = sessionOn(hostWith(withSkill()), [{ text: "tidied" }]);
    await session.executeCommand("tidy");
    const copy = hostWith({});
    const id = await importSession(copy, await session.export());
    await session.shutdown();
    const { session: imported } = sessionOn(copy, [], OPUS, { resumeSessionId: id });
    await imported.ready;
    expect(invocations(imported)).toMatchObject([{ model: HAIKU, effort: "low" }]);
    await imported.shutdown();
  });

  it("with a level that nobody knows makes the skill unusable, and says which there are", async () => {
    const files = { [`${CWD}/.robota/skills/odd/SKILL.md`]: skillFile({ effort: "heroic" }) };
    const { session } = sessionOn(hostWith(files), []);
    await session.ready;
    expect(session.getSettings()?.warnings).toEqual([
      {
        layer: ".robota/skills/odd/SKILL.md",
        setting: "skill",
        message: "supports as effort only low, medium, high, xhigh, max",
      },
    ]);
    await session.shutdown();
  });
});

it("keeps a skill's model over a reload in the middle of its turn, and replays it", async () => {
  await withHost(async ({ platform, cwd }) => {
    const folder = `${cwd}/.robota/skills/tidy`;
    await platform.fs.mkdir(folder, { recursive: true });
    await platform.fs.writeFile(`${folder}/SKILL.md`, ECONOMY);
    const before = sessionOn(platform, [{ toolCalls: [echoCall("x")] }], OPUS, { cwd });
    const waiting = new Promise<PermissionRequest>((resolve) =>
      before.session.on("permission_request", resolve),
    );
    before.session.executeCommand("tidy").catch(() => undefined);
    const { id } = await waiting;
    const { sessionId } = before.session;

    const storage = await afterCrash(platform.storage, sessionId);
    const after = sessionOn(
      { ...platform, storage },
      [{ text: "tidied" }, { text: "later" }],
      OPUS,
      {
        cwd,
        resumeSessionId: sessionId,
      },
    );
    const ended = new Promise((resolve) => after.session.on("complete", resolve));
    await after.session.resolvePermission(id, true);
    await ended;
    await after.session.submit("and now?");
    expect([before.asked(), after.asked()]).toEqual([
      [[HAIKU, "low"]],
      [
        [HAIKU, "low"],
        [OPUS, undefined],
      ],
    ]);
    await before.session.shutdown().catch(() => undefined);
    await after.session.shutdown();
    const recorded = await Array.fromAsync(storage.read(`sessions/${sessionId}`));
    const { records } = await replaySession({ storage, sessionId }, memoryPlatform());
    expect(records).toEqual(recorded.map(({ value }) => value));
  });
});
