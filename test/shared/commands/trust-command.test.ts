import { withHost } from "#host";
import { InteractiveSession, type InteractiveSessionOptions, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import { writeFiles } from "../../support/bundles/bundle-files.ts";
import { agentFile } from "../../support/agent-support.ts";

const HOOK = { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo stopped" }] }] } };
const ALLOW = { permissions: { allow: ["Bash(npm test)"], deny: ["Bash(rm *)"] } };
const PROJECT = {
  ".robota/settings.json": { ...ALLOW, ...HOOK },
  ".robota/agents/judge.md": agentFile({ description: "Judges" }, "You judge."),
  ".robota/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up\n---\nTidy up.",
};

function open(platform: Platform, cwd: string, options: Partial<InteractiveSessionOptions> = {}) {
  const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const session = new InteractiveSession({ platform, cwd, provider, ...options });
  const trust = async (args: string, caller?: Parameters<typeof session.executeCommand>[2]) => {
    const result = await session.executeCommand("trust", args, caller);
    if (!result) throw new Error("there is no such command");
    return result;
  };
  const isAllowed = () => session.explain("Bash", { command: "npm test" }).decision === "auto";
  const state = () => session.getSettings()?.trust;
  const offersJudge = () =>
    (provider.requests.at(-1)?.options.tools ?? []).some(({ description }) =>
      description.includes("project:judge: Judges"),
    );
  return { session, trust, isAllowed, state, offersJudge };
}

describe.each([
  ["the host", withHost],
  ["memory", withMemory],
])("/trust, in %s", (_, onHost) => {
  it("shows everything, and takes a yes that holds for the next turn and the next session", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, cwd, PROJECT);
      const { session, trust, isAllowed, state } = open(platform, cwd);
      await session.submit("go");
      expect([state(), isAllowed()]).toEqual(["untrusted", false]);
      expect((await trust("")).message).toContain("No trust is remembered for it.");

      const shown = await trust("grant");
      for (const part of ["echo stopped", "Bash(npm test)", "You judge.", "/trust confirm"])
        expect(shown.message).toContain(part);
      expect(shown.data).toMatchObject({ needsConfirmation: true });
      await session.submit("still untrusted");
      expect(isAllowed()).toBe(false);

      expect(await trust("confirm")).toMatchObject({ success: true });
      const now = await trust("");
      expect(now.data).toMatchObject({
        digest: shown.data?.["digest"],
        remembered: { digest: shown.data?.["digest"], key: expect.stringMatching(/^trust\//) },
      });
      expect(now.message).toContain("/trust revoke takes it back.");
      await session.submit("trusted");
      expect([state(), isAllowed()]).toEqual(["trusted", true]);
      await session.shutdown();

      const next = open(platform, cwd);
      await next.session.ready;
      expect([next.state(), next.isAllowed()]).toEqual(["trusted", true]);
      await next.session.shutdown();
    }));

  it("takes trust back from an open session, whose hooks, rules, agents and skills go with the next turn", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, cwd, PROJECT);
      let questions = 0;
      const trustWorkspace = () => (questions += 1) > 0;
      const first = open(platform, cwd, { trustWorkspace });
      const { session, trust, isAllowed, state, offersJudge } = first;
      const hooks: string[] = [];
      session.on("event", (event) => {
        if (event.type === "hook_run" && event.event === "Stop") hooks.push(event.hook);
      });
      await session.submit("go");
      expect([questions, isAllowed(), hooks.length]).toEqual([1, true, 1]);
      expect([offersJudge(), session.getSkills().has("tidy")]).toEqual([true, true]);
      const other = open(platform, cwd);
      await other.session.ready;
      expect(other.isAllowed()).toBe(true);

      expect(await trust("revoke")).toMatchObject({ success: true, data: { wasRemembered: true } });
      await session.submit("go on");
      await other.session.submit("go on");
      // Restrictions stay, and nobody is asked about them.
      expect(session.explain("Bash", { command: "rm x" }).decision).toBe("deny");
      expect([questions, state(), isAllowed(), hooks.length]).toEqual([1, "untrusted", false, 1]);
      expect([offersJudge(), session.getSkills().has("tidy")]).toEqual([false, false]);
      // Another session of the same host notices.
      expect([other.state(), other.isAllowed()]).toEqual(["untrusted", false]);
      for (const one of [first, other]) await one.session.shutdown();
    }));

  it("trusts nothing that was not shown", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, cwd, PROJECT);
      const { session, trust, isAllowed } = open(platform, cwd);
      const { data = {} } = await trust("grant");
      await writeFiles(platform.fs, cwd, {
        ".robota/agents/other.md": PROJECT[".robota/agents/judge.md"],
      });
      for (const args of ["confirm", String(data["command"]).replace(/^trust /, "")])
        expect(await trust(args)).toMatchObject({
          success: false,
          message: expect.stringContaining("not what was shown any more") as string,
        });
      await session.submit("go");
      expect(isAllowed()).toBe(false);
      await trust("grant");
      await trust("confirm");
      await session.submit("go on");
      expect(isAllowed()).toBe(true);
      await session.shutdown();
    }));
});

it("takes trust back that the program gave for the session, and leaves a program's no alone", () =>
  withMemory(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, cwd, PROJECT);
    const given = open(platform, cwd, { trustWorkspace: true });
    await given.session.ready;
    expect(given.isAllowed()).toBe(true);
    expect(await given.trust("revoke")).toMatchObject({ data: { wasRemembered: false } });
    await given.session.submit("go");
    expect(given.isAllowed()).toBe(false);
    await given.session.shutdown();

    const refused = open(platform, cwd, { trustWorkspace: false });
    await refused.trust("grant");
    expect((await refused.trust("confirm")).message).toContain("The program has decided");
    await refused.session.submit("go");
    expect(refused.isAllowed()).toBe(false);
    await refused.session.shutdown();
  }));

it("is for no model, and for no remote caller without the scope", () =>
  withMemory(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, cwd, PROJECT);
    const { session, trust, isAllowed } = open(platform, cwd);
    await trust("grant");
    const remote = (...scopes: ("read" | "write" | "privilege")[]) =>
      ({ caller: { kind: "remote", scopes } }) as const;
    for (const args of ["grant", "confirm", "revoke"]) {
      const refusal = { code: "COMMAND_REFUSED" };
      await expect(trust(args, { caller: { kind: "model" } })).rejects.toMatchObject(refusal);
      await expect(trust(args, remote("read", "write"))).rejects.toMatchObject(refusal);
    }
    // One with the scope confirms only what it was shown itself.
    expect(await trust("confirm", remote("privilege"))).toMatchObject({ success: false });
    expect(await trust("", remote("read"))).toMatchObject({ success: true });
    await session.submit("go");
    expect(isAllowed()).toBe(false);
    await session.shutdown();
  }));
