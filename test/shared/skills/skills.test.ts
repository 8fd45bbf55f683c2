import { withHost } from "#host";
import {
  contentText,
  InteractiveSession,
  type PermissionRequest,
  replaySession,
  SkillCommandSource,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import {
  CWD,
  type Files,
  hostWith,
  openSession,
  type Script,
  systemText,
} from "../../support/settings-support.ts";
import { invocations, skillCall, skillFile, toolResults } from "./skill-support.ts";
import { echo, echoCall } from "../../support/support.ts";

const TRUST = { trustWorkspace: true } as const;

const DIRECTORIES: [place: string, path: (name: string) => string][] = [
  [".robota/skills", (name) => `${CWD}/.robota/skills/${name}/SKILL.md`],
  [".claude/skills", (name) => `${CWD}/.claude/skills/${name}/SKILL.md`],
  [".claude/commands", (name) => `${CWD}/.claude/commands/${name}.md`],
  ["~/.robota/skills", (name) => `~/.robota/skills/${name}/SKILL.md`],
  [".agents/skills", (name) => `${CWD}/.agents/skills/${name}/SKILL.md`],
];

/** A session with these files, after the model has done what the script says. */
async function played(files: Files, script: Script, options = {}) {
  const { session, provider } = openSession(
    hostWith(files),
    { tools: [echo], ...TRUST, ...options },
    script,
  );
  await session.submit("go");
  return { session, provider };
}

describe("S-249: the locations of skills", () => {
  it("are five directories, of which the first with a name wins", async () => {
    for (const [first, [place]] of DIRECTORIES.entries()) {
      const files = Object.fromEntries(
        DIRECTORIES.slice(first).map(([from, path]) => [
          path("same"),
          skillFile({ description: `Of ${from}` }, from),
        ]),
      );
      const source = new SkillCommandSource(CWD, { platform: hostWith(files), ...TRUST });
      const commands = await source.getCommands();
      expect(commands.map(({ name, description }) => [name, description])).toEqual([
        ["same", `Of ${place}`],
      ]);
    }
  });

  it("are listed together, in the order of the directories", async () => {
    const files = Object.fromEntries(
      DIRECTORIES.map(([place, path], at) => [
        path(`skill-${5 - at}`),
        skillFile({ description: place }),
      ]),
    );
    const source = new SkillCommandSource(CWD, { platform: hostWith(files), ...TRUST });
    const commands = await source.getCommands();
    expect(commands.map(({ description }) => description)).toEqual(
      DIRECTORIES.map(([place]) => place),
    );
    expect(new Set(commands.map(({ source: kind }) => kind))).toEqual(new Set(["skill"]));
  });

  it("are read with the first request, and again after a reload", async () => {
    const platform = hostWith({});
    const source = new SkillCommandSource(CWD, { platform, ...TRUST });
    const names = async () => (await source.getCommands()).map(({ name }) => name);
    const write = (name: string) =>
      platform.fs.writeFile(
        `${CWD}/.claude/skills/${name}/SKILL.md`,
        new TextEncoder().encode(skillFile({})),
      );
    await platform.fs.mkdir(`${CWD}/.claude/skills/late`, { recursive: true });
    await platform.fs.mkdir(`${CWD}/.claude/skills/later`, { recursive: true });
    await write("late");
    expect(await names()).toEqual(["late"]);
    await write("later");
    expect(await names()).toEqual(["late"]);
    source.reload();
    expect(await names()).toEqual(["late", "later"]);
  });

  it("report a shadowed and an unusable skill, with file and reason", async () => {
    const { session } = openSession(
      hostWith({
        [`${CWD}/.claude/skills/good/SKILL.md`]: skillFile({}),
        [`${CWD}/.claude/skills/Bad/SKILL.md`]: skillFile({}),
        [`${CWD}/.claude/skills/worse/SKILL.md`]: "no front matter",
        [`${CWD}/.claude/skills/empty/README.md`]: "no skill at all",
        "~/.robota/skills/good/SKILL.md": skillFile({}, "Another body."),
        [`${CWD}/.agents/skills/good/SKILL.md`]: skillFile({}),
      }),
      TRUST,
    );
    await session.ready;
    expect([...session.getSkills().keys()]).toEqual(["good"]);
    const warnings = session.getSettings()?.warnings ?? [];
    expect(warnings.map(({ layer, setting, message }) => [layer, setting, message])).toEqual([
      [".claude/skills/Bad/SKILL.md", "skill", expect.stringContaining("lowercase letters")],
      [".claude/skills/worse/SKILL.md", "skill", expect.stringContaining("no front matter")],
      [
        "~/.robota/skills/good/SKILL.md",
        "skill",
        "is not in force: .claude/skills/good/SKILL.md has the name good before it",
      ],
    ]);
    const list = await session.executeCommand("skills");
    expect(list?.message.split("\n")).toEqual([
      "/good  Does something",
      expect.stringMatching(/^\.claude\/skills\/Bad\/SKILL\.md: needs a name/),
      expect.stringMatching(/^\.claude\/skills\/worse\/SKILL\.md: has no front matter/),
      expect.stringMatching(/^~\/\.robota\/skills\/good\/SKILL\.md: is not in force/),
    ]);
    await session.shutdown();
  });
});

describe("S-252: the system prompt", () => {
  it("has the skills' names and descriptions; their instructions come with their use", async () => {
    const files = {
      [`${CWD}/.agents/skills/forms/SKILL.md`]: skillFile(
        { description: "Fills forms" },
        "BODY of it",
      ),
      "~/.robota/skills/own/SKILL.md": skillFile({ description: "The person's" }),
      [`${CWD}/.agents/skills/quiet/SKILL.md`]: skillFile({
        description: "Never told",
        "disable-model-invocation": true,
      }),
    };
    const { session, provider } = await played(files, [
      { toolCalls: [skillCall("forms")] },
      { text: "ok" },
    ]);
    const told = systemText(provider);
    expect(told).toContain("- forms: Fills forms");
    expect(told).toContain("- own: The person's");
    expect(told).not.toContain("Never told");
    expect(told).not.toContain("BODY");
    expect(toolResults(session)[0]).toContain("BODY of it");
    expect(provider.requests[0]?.options?.tools?.map(({ name }) => name)).toContain("Skill");
    await session.shutdown();
  });

  it("does not mention skills without any, and offers no tool for them", async () => {
    const { session, provider } = await played({}, [{ text: "ok" }]);
    expect(systemText(provider)).not.toContain("kill");
    expect(provider.requests[0]?.options?.tools?.map(({ name }) => name)).not.toContain("Skill");
    await session.shutdown();
  });
});

describe("S-230: the history", () => {
  const files = { [`${CWD}/.claude/skills/greet/SKILL.md`]: skillFile({}, "Greet $1.") };

  it("shows that the model used a skill", async () => {
    const { session } = await played(files, [
      { toolCalls: [skillCall("greet", { args: "Ada" })] },
      { text: "ok" },
    ]);
    expect(invocations(session)).toEqual([{ skillName: "greet", displayInput: "/greet Ada" }]);
    expect(toolResults(session)[0]).toContain("Greet Ada.");
    await session.shutdown();
  });

  it("shows that a person used one, with the prompt as typed", async () => {
    const platform = hostWith(files);
    const { session, provider } = openSession(platform, TRUST, [{ text: "ok" }]);
    await session.ready;
    expect(session.listCommands()).toContainEqual({ name: "greet", description: "Does something" });
    const result = await session.executeCommand("greet", "Ada");
    expect(result).toMatchObject({ success: true, message: "ok" });
    expect(invocations(session)).toEqual([{ skillName: "greet", displayInput: "/greet Ada" }]);
    expect(session.getMessages()[0]?.content).toBe("/greet Ada");
    const asked = provider.requests[0]?.messages.findLast(({ role }) => role === "user");
    expect(contentText(asked?.content ?? "")).toContain("Greet Ada.");
    await session.shutdown();
  });

  it("keeps the entry across a restart, in the queue, in an export and in a replay", async () => {
    const platform = hostWith(files);
    const { session } = openSession(platform, TRUST, [
      { toolCalls: [skillCall("greet", { args: "Ada" })] },
      { text: "one" },
      { text: "two" },
    ]);
    const first = session.submit("go");
    const second = session.submit("Greet Bob.", "/greet Bob", undefined, { skill: "greet" });
    await first;
    await second;
    const expected = [
      { skillName: "greet", displayInput: "/greet Ada" },
      { skillName: "greet", displayInput: "/greet Bob" },
    ];
    expect(invocations(session)).toEqual(expected);
    const { sessionId } = session;
    const moved = await InteractiveSession.import(memoryPlatform(), await session.export(), {
      provider: new ScriptedProvider([]),
    });
    expect(invocations(moved)).toEqual(expected);
    await moved.shutdown();
    await session.shutdown();
    const record = { storage: platform.storage, sessionId };
    const { events } = await replaySession(record, memoryPlatform());
    expect(events.filter((event) => event.type === "note").map(({ data }) => data)).toEqual(
      expected,
    );
    const { session: again } = openSession(platform, { ...TRUST, resumeSessionId: sessionId });
    await again.ready;
    expect(invocations(again)).toEqual(expected);
    await again.shutdown();
  });
});

describe("the calls that a skill allows", () => {
  const files = {
    "~/.robota/skills/shout/SKILL.md": skillFile({ "allowed-tools": "echo" }, "Shout $1."),
  };
  const asksFor =
    (asked: string[], answer = true) =>
    ({ tool }: PermissionRequest) => {
      asked.push(tool);
      return answer;
    };
  const handler =
    (asked: string[], answer = true) =>
    (_tool: string, _args: object, request: PermissionRequest) =>
      asksFor(asked, answer)(request);

  it("need a person's yes when the model invokes the skill, for the rest of the turn", async () => {
    const asked: string[] = [];
    const { session } = await played(
      files,
      [
        { toolCalls: [skillCall("shout")] },
        { toolCalls: [echoCall("1")] },
        { toolCalls: [echoCall("2")] },
        { text: "ok" },
        { toolCalls: [echoCall("3")] },
        { text: "ok" },
      ],
      { permissionHandler: handler(asked) },
    );
    expect(asked).toEqual(["Skill"]);
    await session.submit("and now?");
    expect(asked).toEqual(["Skill", "echo"]);
    await session.shutdown();
  });

  it("need no approval when a person begins the turn with it", async () => {
    const asked: string[] = [];
    const { session } = openSession(
      hostWith(files),
      { tools: [echo], permissionHandler: handler(asked, false) },
      [
        { toolCalls: [echoCall("1")] },
        { text: "ok" },
        { toolCalls: [echoCall("2")] },
        { text: "ok" },
      ],
    );
    await session.submit("Shout.", "/shout", undefined, { skill: "shout" });
    expect(asked).toEqual([]);
    expect(toolResults(session)).toEqual(["said 1"]);
    await session.submit("again");
    expect(asked).toEqual(["echo"]);
    await session.shutdown();
  });

  it("are not allowed after a no", async () => {
    const asked: string[] = [];
    const { session } = await played(
      files,
      [{ toolCalls: [skillCall("shout")] }, { toolCalls: [echoCall("1")] }, { text: "ok" }],
      { permissionHandler: handler(asked, false) },
    );
    expect(asked).toEqual(["Skill", "echo"]);
    expect(invocations(session)).toEqual([]);
    await session.shutdown();
  });

  it("never override a rule that denies or asks, nor plan mode", async () => {
    for (const [permissions, permissionMode, outcome] of [
      [{ deny: ["echo"] }, "default", "denied"],
      [{ ask: ["echo"] }, "default", "asked"],
      [{}, "plan", "denied"],
    ] as const) {
      const asked: string[] = [];
      const { session } = openSession(
        hostWith(files),
        { tools: [echo], permissions, permissionMode, permissionHandler: handler(asked, false) },
        [{ toolCalls: [echoCall("1")] }, { text: "ok" }],
      );
      const result = await session.submit("Shout.", "/shout", undefined, { skill: "shout" });
      expect(result.toolSummaries).toMatchObject([{ toolName: "echo", result: "denied" }]);
      expect(asked).toEqual(outcome === "asked" ? ["echo"] : []);
      await session.shutdown();
    }
  });

  it("are shown in the request, and can be allowed permanently by a rule", async () => {
    const requests: PermissionRequest[] = [];
    const script = [{ toolCalls: [skillCall("shout")] }, { text: "ok" }];
    const { session } = await played(files, script, {
      permissionHandler: (_tool: string, _args: object, request: PermissionRequest) => {
        requests.push(request);
        return true;
      },
    });
    expect(requests).toMatchObject([
      {
        tool: "Skill",
        suggestedPattern: "Skill(shout)",
        preview: { note: "Until the turn ends, calls that match echo need no approval." },
      },
    ]);
    await session.shutdown();
    const allowed = await played(files, script, {
      permissions: { allow: ["Skill(shout)"] },
      permissionHandler: () => false,
    });
    expect(invocations(allowed.session)).toHaveLength(1);
    await allowed.session.shutdown();
  });

  it("do not affect a skill without any, which needs no approval in any mode", async () => {
    for (const permissionMode of ["plan", "default"] as const) {
      const { session } = await played(
        { "~/.robota/skills/say/SKILL.md": skillFile({}) },
        [{ toolCalls: [skillCall("say")] }, { text: "ok" }],
        { permissionMode, permissionHandler: () => false },
      );
      expect(toolResults(session)[0]).toContain("Follow me.");
      await session.shutdown();
    }
  });
});

describe("a skill that the model may not invoke", () => {
  const files = {
    [`${CWD}/.claude/skills/deploy/SKILL.md`]: skillFile(
      { "disable-model-invocation": true },
      "GO",
    ),
    [`${CWD}/.claude/skills/inner/SKILL.md`]: skillFile({ "user-invocable": false }),
  };

  it("is refused with an explanation, and an unknown one with near names", async () => {
    const { session } = await played(files, [
      { toolCalls: [skillCall("deploy"), skillCall("iner")] },
      { text: "ok" },
    ]);
    expect(toolResults(session)).toEqual([
      expect.stringContaining("Only a person can use the skill deploy, as /deploy"),
      'There is no skill "iner". Did you mean inner?',
    ]);
    expect(invocations(session)).toEqual([]);
    await session.shutdown();
  });

  it("is a person's command, unless it is not user-invocable", async () => {
    const source = new SkillCommandSource(CWD, { platform: hostWith(files), ...TRUST });
    expect((await source.getCommands()).map(({ name }) => name)).toEqual(["deploy"]);
  });
});

it("reads a skill's files at the home without approval, and nothing else there", async () => {
  const asked: unknown[] = [];
  const platform = hostWith({
    "~/.robota/skills/forms/SKILL.md": skillFile({}),
    "~/.robota/skills/forms/references/a.md": "fields",
    "~/.robota/skills/broken/SKILL.md": "no front matter",
    "~/notes.txt": "private",
  });
  const folder = "/home/user/.robota/skills";
  await platform.fs.symlink("/home/user/notes.txt", `${folder}/forms/link.md`);
  const paths = ["forms/references/a.md", "forms/link.md", "broken/SKILL.md"].map(
    (path) => `${folder}/${path}`,
  );
  const reads = [...paths, "/home/user/notes.txt"].map((filePath) => ({
    name: "Read",
    args: { filePath },
  }));
  const { session } = openSession(
    platform,
    {
      permissionHandler: (_tool, args) => {
        asked.push(args["filePath"]);
        return false;
      },
    },
    [{ toolCalls: reads }, { text: "ok" }],
  );
  await session.submit("go");
  expect(toolResults(session)[0]).toContain("fields");
  expect(asked).toEqual(reads.slice(1).map(({ args }) => args.filePath));
  await session.shutdown();
});

describe("a skill with files, on this host", () => {
  it("loads when it is used, and its files on request", () =>
    withHost(async ({ platform, cwd }) => {
      const folder = `${cwd}/.claude/skills/forms`;
      const text = (content: string) => new TextEncoder().encode(content);
      await platform.fs.mkdir(`${folder}/references`, { recursive: true });
      await platform.fs.writeFile(
        `${folder}/SKILL.md`,
        text(skillFile({ "allowed-tools": "echo" }, "Fill $1, see references/fields.md.")),
      );
      await platform.fs.writeFile(`${folder}/references/fields.md`, text("Name, street"));
      const asked: string[] = [];
      const provider = new ScriptedProvider([
        { toolCalls: [skillCall("forms", { args: "a.pdf" })] },
        {
          toolCalls: [
            skillCall("forms", { file: "references/fields.md" }),
            { name: "Read", args: { filePath: `${folder}/references/fields.md` } },
            skillCall("forms", { file: "../../../secret" }),
            skillCall("forms", { file: "references/none.md" }),
            echoCall("said"),
          ],
        },
        { text: "filled" },
      ]);
      const session = new InteractiveSession({
        platform,
        cwd,
        provider,
        tools: [echo],
        ...TRUST,
        permissionHandler: (tool) => {
          asked.push(tool);
          return true;
        },
      });
      expect(await session.submit("fill it")).toMatchObject({ response: "filled" });
      const [loaded, resource, read, escape, missing, said] = toolResults(session);
      expect(loaded).toContain("Fill a.pdf, see references/fields.md.");
      expect(loaded).toContain(folder);
      expect(resource).toBe("Name, street");
      expect(read).toContain("Name, street");
      expect(escape).toContain("leads out of the skill forms");
      expect(missing).toContain("ENOENT");
      expect(said).toBe("said said");
      expect(asked).toEqual(["Skill"]);
      expect(invocations(session)).toEqual([{ skillName: "forms", displayInput: "/forms a.pdf" }]);
      await session.shutdown();
    }));
});
