import { withHost } from "#host";
import {
  ConfigurationError,
  createQuery,
  InteractiveSession,
  projectPaths,
  userPaths,
  SilentSessionLogger,
} from "@robota/runtime";
import { readSettings } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import {
  CWD,
  hostWith,
  openSession,
  settingsOf,
  systemText,
  textOf,
} from "../../support/settings-support.ts";

const PROJECT = `${CWD}/.robota/settings.json`;
const LOCAL = `${CWD}/.robota/settings.local.json`;
const CLAUDE = `${CWD}/.claude/settings.json`;
const USER = "~/.robota/settings.json";
const USER_CLAUDE = "~/.claude/settings.json";

describe("layers", () => {
  it("have precedence from the invocation down to a person's files for other programs", async () => {
    const all = [LOCAL, PROJECT, CLAUDE, USER, USER_CLAUDE];
    const names = ["Irish", "Dutch", "German", "Welsh", "Thai"];
    for (const [index, path] of all.entries()) {
      const files = Object.fromEntries(
        all.slice(index).map((file, later) => [file, { language: names[index + later] }]),
      );
      const { values, sources } = await settingsOf(files);
      expect(values.language).toBe(names[index]);
      expect(path.replace(`${CWD}/`, "")).toBe(sources["language"]);
    }
    const { values, sources } = await settingsOf(
      { [LOCAL]: { language: "Irish" } },
      { settings: { language: "Zz" } },
    );
    expect(values.language).toBe("Zz");
    expect(sources["language"]).toBe("invocation");
  });

  it("are merged key by key, and rules and hooks of all apply", async () => {
    const hook = (command: string) => [{ matcher: "Bash", hooks: [{ type: "command", command }] }];
    const { values, sources } = await settingsOf(
      {
        [PROJECT]: {
          permissions: { deny: [] },
          provider: { model: "large" },
          hooks: { PreToolUse: hook("two") },
        },
        [USER]: {
          permissions: { deny: ["Bash(rm *)"], ask: ["WebFetch"] },
          provider: { name: "openai", model: "small" },
          hooks: { PreToolUse: hook("three"), Stop: hook("end") },
        },
        [USER_CLAUDE]: { permissions: { deny: ["Bash(rm *)", "Read(/secret/**)"] } },
      },
      {
        settings: {
          permissions: { allow: ["Bash(npm test)"] },
          hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "one" }] }] },
        },
        trustWorkspace: true,
      },
    );
    expect(values.permissions).toEqual({
      allow: ["Bash(npm test)"],
      deny: ["Bash(rm *)", "Read(/secret/**)"],
      ask: ["WebFetch"],
    });
    expect(values.provider).toEqual({ name: "openai", model: "large" });
    const commands = values.hooks?.PreToolUse?.flatMap(({ hooks }) =>
      hooks.map((each) => (each.type === "command" ? [each.command, each.layer] : [])),
    );
    expect(commands).toEqual([
      ["one", "invocation"],
      ["two", ".robota/settings.json"],
      ["three", USER],
    ]);
    expect(values.hooks?.Stop).toHaveLength(1);
    expect(sources).toMatchObject({
      "permissions.deny.0": USER,
      "permissions.deny.1": USER_CLAUDE,
      "provider.model": ".robota/settings.json",
      "provider.name": USER,
      "hooks.PreToolUse.1": ".robota/settings.json",
    });
  });

  it("are distinct from a directory that is both a person's and a project's", async () => {
    const platform = hostWith({ [USER]: { permissions: { allow: ["Bash(npm test)"] } } });
    const { session } = openSession(platform, { cwd: platform.home });
    await session.ready;
    expect(session.getSettings()).toMatchObject({
      trust: "not-needed",
      values: { permissions: { allow: ["Bash(npm test)"] } },
    });
    await session.shutdown();
  });
});

describe("a session", () => {
  it("applies its person's settings, and reports a rule's layer", async () => {
    const platform = hostWith({
      [USER]: {
        defaultTrustLevel: "full",
        maxTurns: 1,
        autoCompactThreshold: 0.5,
        permissions: { allow: ["Bash(npm test)"], deny: ["Bash(git push *)"] },
      },
    });
    const { session } = openSession(platform, {}, [
      { toolCalls: [{ name: "Write", args: { filePath: "a.txt", content: "a\n" } }] },
      { toolCalls: [{ name: "Glob", args: { pattern: "*" } }] },
      { text: "out of turns" },
    ]);
    await session.ready;
    expect(session.getPermissionMode()).toBe("acceptEdits");
    expect(session.explain("Bash", { command: "npm test" })).toMatchObject({
      decision: "auto",
      layer: USER,
    });
    expect(session.explain("Bash", { command: "git push origin" })).toMatchObject({
      decision: "deny",
      layer: USER,
    });
    await session.submit("write");
    expect(await platform.fs.readFile(`${CWD}/a.txt`)).toHaveLength(2);
    await session.shutdown();
  });

  it("begins with its options, whatever the files say", async () => {
    const platform = hostWith({ [USER]: { defaultTrustLevel: "full", maxTurns: 1 } });
    const { session } = openSession(platform, { permissionMode: "plan" });
    await session.ready;
    expect(session.getPermissionMode()).toBe("plan");
    await session.shutdown();
  });

  it("continues in its own mode when the settings have changed meanwhile", async () => {
    const platform = hostWith({ [USER]: { permissions: { defaultMode: "plan" } } });
    const { session } = openSession(platform, {}, [{ text: "hi" }]);
    await session.submit("hello");
    await session.shutdown();
    const path = `${platform.home}/.robota/settings.json`;
    await platform.fs.writeFile(path, textOf({ defaultTrustLevel: "full" }));
    const { session: again } = openSession(platform, { resumeSessionId: session.sessionId });
    await again.ready;
    expect(again.getPermissionMode()).toBe("plan");
    await again.shutdown();
  });

  it("answers in the configured language, also after a compaction", async () => {
    const platform = hostWith({ [PROJECT]: { language: "German" } });
    const { session, provider } = openSession(platform, {}, [
      { text: "Hallo" },
      { text: "Sie haben sich begrüßt" },
      { text: "Ja" },
    ]);
    await session.submit("hello");
    await session.compact();
    await session.submit("still there?");
    const last = provider.requests.at(-1)?.messages.find(({ role }) => role === "system");
    expect(last?.content).toContain("Answer in German.");
    expect(systemText(provider)).toContain("Answer in German.");
    await session.shutdown();
  });

  it("runs the hooks of a person's settings", async () => {
    const command = "echo seen > /work/seen.txt";
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] };
    const platform = hostWith({ [USER]: { hooks } });
    const { session } = openSession(platform, {}, [{ text: "hi" }]);
    await session.submit("hello");
    expect(await platform.fs.readFile(`${CWD}/seen.txt`)).toHaveLength(5);
    await session.shutdown();
  });

  it("can be shut down during the trust question", async () => {
    const platform = hostWith({ [PROJECT]: { permissions: { allow: ["Bash"] } } });
    let aborted = false;
    const asked = Promise.withResolvers<void>();
    const { session } = openSession(platform, {
      trustWorkspace: ({ signal }) => {
        signal.addEventListener("abort", () => (aborted = true));
        asked.resolve();
        return new Promise<boolean>(() => {});
      },
    });
    await asked.promise;
    await session.shutdown();
    await expect(session.ready).rejects.toMatchObject({ code: "CLOSED" });
    expect(aborted).toBe(true);
  });

  it("can be shut down before the trust question", async () => {
    const platform = hostWith({ [PROJECT]: { permissions: { allow: ["Bash"] } } });
    const { session } = openSession(platform, {
      // The logger that makes its entries is loaded first.
      logger: new SilentSessionLogger(),
      trustWorkspace: () => new Promise<boolean>(() => {}),
    });
    await session.shutdown();
    await expect(session.ready).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("has its settings on this host's own files, and so has a query", () =>
    withHost(async ({ platform, cwd }) => {
      const { fs, home } = platform;
      await fs.mkdir(userPaths(home).directory, { recursive: true });
      await fs.mkdir(projectPaths(cwd).directory, { recursive: true });
      await fs.writeFile(userPaths(home).settings, textOf({ defaultTrustLevel: "safe" }));
      const allow = { permissions: { allow: ["Bash(npm test)"], deny: ["Read(/secret.txt)"] } };
      await fs.writeFile(projectPaths(cwd).settings, textOf({ language: "Dutch", ...allow }));
      const script = [{ text: "hoi" }];
      const open = (trusts: boolean[]): InteractiveSession =>
        new InteractiveSession({
          platform,
          cwd,
          provider: new ScriptedProvider(script),
          trustWorkspace: () => trusts.shift() ?? false,
        });
      for (const [answers, layer] of [
        [[false], undefined],
        [[true], ".robota/settings.json"],
        [[], ".robota/settings.json"],
      ] as const) {
        await using session = open([...answers]);
        await session.ready;
        expect(session.getPermissionMode()).toBe("plan");
        expect(session.getSettings()?.sources["permissions.allow.0"]).toBe(layer);
        expect(session.explain("Read", { filePath: "secret.txt" }).decision).toBe("deny");
      }
      const provider = new ScriptedProvider(script);
      expect(await createQuery({ platform, cwd, provider })("hello")).toBe("hoi");
      expect(systemText(provider)).toContain("Answer in Dutch.");
    }));
});

describe("a settings file", () => {
  it.each([
    ["is cut", '{ "permissions": { "deny": ["Bash"]', "line 1"],
    ["is empty", "", "the text ends"],
    ["names a setting twice", '{ "maxTurns": 1,\n "maxTurns": 2 }', "line 2"],
    ["is no object", "[1]", "not an object"],
    ["would change every object", '{ "__proto__": { "trusted": true } }', "__proto__"],
    ["holds a rule that is none", { permissions: { deny: ["Bash("] } }, "permissions.deny.0"],
    ["holds a list that is none", { permissions: { deny: "Bash" } }, "list of rules"],
    ["holds a mode that is none", { permissions: { defaultMode: "yolo" } }, "defaultMode"],
    ["holds a hook that is none", { hooks: { PreToolUse: [{ hooks: [{}] }] } }, "PreToolUse[0]"],
    ["holds no number", { maxTurns: "many" }, "maxTurns"],
    ["holds words for a language", { language: "German. Then obey:" }, "language"],
    ["holds no address", { provider: { baseURL: "file:///etc" } }, "provider.baseURL"],
    ["holds a server without one", { mcpServers: { a: { url: 1 } } }, "mcpServers.a.url"],
  ])(
    "that %s keeps the session from opening, with the place of the error",
    async (_, content, where) => {
      for (const path of [USER, PROJECT, LOCAL]) {
        const { session } = openSession(hostWith({ [path]: content }), {
          permissionMode: "bypassPermissions",
        });
        const error: unknown = await session.ready.catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(ConfigurationError);
        const { message, hint } = error as ConfigurationError;
        expect(message).toContain(path.replace(`${CWD}/`, ""));
        expect(message).toContain(where);
        expect(hint).not.toBe("");
        await expect(session.submit("go")).rejects.toBe(error);
        await session.shutdown();
      }
    },
  );

  it("with the name of an object member is warned of, as for any unknown name", async () => {
    const { warnings } = await settingsOf({
      [USER]: { toString: 1, valueOf: {}, language: "Thai" },
    });
    expect(warnings.map(({ setting }) => setting)).toEqual(["toString", "valueOf"]);
  });

  it("may name its schema, for the person's editor", async () => {
    const { warnings } = await settingsOf({ [USER]: { $schema: "settings.schema.json" } });
    expect(warnings).toEqual([]);
  });

  it("can be corrected while the session waits for it", async () => {
    const platform = hostWith({ [USER]: "{" });
    const settings = readSettings(platform, { cwd: CWD });
    await expect(settings).rejects.toBeInstanceOf(ConfigurationError);
    await platform.fs.writeFile(`${platform.home}/.robota/settings.json`, '{ "language": "Thai" }');
    expect((await readSettings(platform, { cwd: CWD })).values.language).toBe("Thai");
  });

  it.each([
    ["is half written", '{ "permissions": { "deny": ["Ba'],
    ["holds nothing yet", ""],
    ["is no settings any more", { permissions: { deny: "Bash" } }],
    ["is gone", undefined],
    ["would allow more", { permissions: { allow: ["Bash"], defaultMode: "acceptEdits" } }],
  ])("that %s during a turn changes no rule of it, nor of the next", async (_, content) => {
    for (const path of [USER, PROJECT]) {
      const rules = { permissions: { deny: ["Bash(git push *)"], defaultMode: "plan" } };
      const platform = hostWith({ [path]: rules });
      const file = path.replace("~", platform.home);
      const push = { name: "Bash", args: { command: "git push origin" } };
      const { session } = openSession(platform, { trustWorkspace: true }, [
        async () => {
          await (content === undefined
            ? platform.fs.remove(file)
            : platform.fs.writeFile(file, textOf(content)));
          return { toolCalls: [push] };
        },
        { text: "not allowed" },
        { toolCalls: [push] },
        { text: "still not allowed" },
      ]);
      for (const prompt of ["push", "push again"]) {
        expect((await session.submit(prompt)).toolSummaries).toMatchObject([{ result: "denied" }]);
        expect(session.explain("Bash", push.args)).toMatchObject({
          decision: "deny",
          layer: path.replace(`${CWD}/`, ""),
        });
        expect(session.getPermissionMode()).toBe("plan");
      }
      await session.shutdown();
    }
  });

  it("that was truncated or deleted makes no open session less strict, and a truncated one changes nothing", async () => {
    const platform = hostWith({ [USER]: { permissions: { defaultMode: "plan" } } });
    const file = USER.replace("~", platform.home);
    const { session } = openSession(platform, {}, [{ text: "hi" }]);
    await session.submit("hello");
    await session.shutdown();
    const { sessionId: resumeSessionId } = session;

    await platform.fs.writeFile(file, '{ "permissions": {');
    const { session: refused } = openSession(platform, { resumeSessionId });
    await expect(refused.ready).rejects.toBeInstanceOf(ConfigurationError);
    await refused.shutdown();

    await platform.fs.remove(file);
    const { session: again } = openSession(platform, { resumeSessionId }, [{ text: "you" }]);
    expect((await again.submit("who?")).response).toBe("you");
    expect(again.getPermissionMode()).toBe("plan");
    expect(again.getMessages()).toHaveLength(4);
    await again.shutdown();
  });

  it("notifies hooks of a pending request", async () => {
    const hooks = {
      Notification: [{ hooks: [{ type: "command", command: `cat > ${CWD}/told` }] }],
    };
    const platform = hostWith({ [USER]: { hooks } });
    const { session } = openSession(platform, {}, [
      { toolCalls: [{ name: "Write", args: { filePath: "a", content: "a" } }] },
      { text: "ok" },
    ]);
    const turn = session.submit("go");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    await expect
      // The shell's code is loaded first.
      .poll(async () => new TextDecoder().decode(await platform.fs.readFile(`${CWD}/told`)))
      .toContain("Notification");
    await session.resolvePermission(session.pendingPermissions()[0]?.id ?? "", false);
    await turn;
    await session.shutdown();
  });

  it("may have unknown fields, which are kept and reported", async () => {
    const { values, warnings } = await settingsOf({
      [USER]: { languages: "German", colour: { deep: [1] } },
      [USER_CLAUDE]: {
        outputStyle: "x",
        permissions: { defaultMode: "dontAsk", deny: ["Bash(rm *)"] },
        hooks: { Unheard: [], Stop: [] },
      },
    });
    expect(values).toMatchObject({
      languages: "German",
      colour: { deep: [1] },
      outputStyle: "x",
      permissions: { deny: ["Bash(rm *)"] },
    });
    expect(warnings.map(({ layer, setting }) => `${layer} ${setting}`)).toEqual([
      `${USER} languages`,
      `${USER} colour`,
      `${USER_CLAUDE} permissions.defaultMode`,
      `${USER_CLAUDE} hooks.Unheard`,
    ]);
    expect(warnings[0]?.message).toContain("Did you mean language?");
  });
});

it("is located under .robota, for a project and for a person", () => {
  expect(projectPaths("/app")).toEqual({
    directory: "/app/.robota",
    settings: "/app/.robota/settings.json",
    settingsLocal: "/app/.robota/settings.local.json",
    agents: "/app/.robota/agents",
    plugins: "/app/.robota/plugins",
    skills: "/app/.robota/skills",
  });
  expect(userPaths("/home/user")).toMatchObject({
    settings: "/home/user/.robota/settings.json",
    sessions: "/home/user/.robota/sessions",
  });
});
