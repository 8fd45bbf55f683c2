import { withHost } from "#host";
import type { InteractiveSession } from "@robota/runtime";
import { readSettings, updateSettings } from "@robota/runtime/settings";
import { expect, it } from "vitest";
import { CWD, type Files, hostWith, openSession } from "../../support/settings-support.ts";

const FILE = `${CWD}/.robota/settings.json`;
const PERSON = "/home/user/.robota/settings.json";

const COMMENTED = `// Ours, see the handbook
{
\t"language": "German", /* for the team */
\t// What nobody may do
\t"permissions": {
\t\t"deny": ["Bash(rm *)"], // at all
\t},
}
`;

async function textAt(platform: ReturnType<typeof hostWith>, path: string): Promise<string> {
  return new TextDecoder().decode(await platform.fs.readFile(path));
}

async function withSession(
  files: Files,
  run: (session: InteractiveSession, platform: ReturnType<typeof hostWith>) => Promise<void>,
): Promise<void> {
  const platform = hostWith(files);
  const { session } = openSession(platform, {}, [{ text: "a" }]);
  await session.ready;
  await run(session, platform);
  await session.shutdown();
}

it("keeps comments, order and indentation, and changes nothing else", async () => {
  await withSession({ [FILE]: COMMENTED }, async (session, platform) => {
    await session.updateSettings("project", { language: "Dutch", maxTurns: 5 });
    expect(await textAt(platform, FILE)).toBe(
      COMMENTED.replace("German", "Dutch").replace("\t},\n}", '\t},\n\t"maxTurns": 5,\n}'),
    );
    await session.updateSettings("project", { maxTurns: undefined });
    expect(await textAt(platform, FILE)).toContain("// What nobody may do");
    expect(await textAt(platform, FILE)).not.toContain("maxTurns");
    // The same again is no change.
    const before = await textAt(platform, FILE);
    await session.updateSettings("project", { language: "Dutch" });
    expect(await textAt(platform, FILE)).toBe(before);
  });
});

it("reads comments and trailing commas in Robota's files, and plain JSON in other programs'", async () => {
  const platform = hostWith({ [FILE]: COMMENTED });
  const { values, sources } = await readSettings(platform, { cwd: CWD });
  expect(values).toMatchObject({ language: "German", permissions: { deny: ["Bash(rm *)"] } });
  expect(sources).toMatchObject({ language: ".robota/settings.json" });
  const foreign = hostWith({ [`${CWD}/.claude/settings.json`]: COMMENTED });
  await expect(readSettings(foreign, { cwd: CWD })).rejects.toThrow(/line 1/);
  const broken = hostWith({ [FILE]: '{\n// "a" {\n"language": German}' });
  await expect(readSettings(broken, { cwd: CWD })).rejects.toThrow(/line 3/);
  const text = hostWith({ [FILE]: '{"language": "// no, /* \\" */ , }"}' });
  await expect(readSettings(text, { cwd: CWD })).rejects.toThrow(/language/);
});

it("writes a new file on this host, and its session reports each value's source", async () => {
  await withHost(async ({ platform, cwd }) => {
    const path = `${cwd}/.robota/settings.local.json`;
    await updateSettings(platform, "local", { language: "Welsh" }, { cwd });
    expect(new TextDecoder().decode(await platform.fs.readFile(path))).toBe(
      '{\n  "language": "Welsh"\n}\n',
    );
    const { session } = openSession(platform, { cwd, settings: { maxTurns: 3 } });
    await session.ready;
    expect(session.settings).toBe(session.getSettings());
    expect(session.settings?.sources).toMatchObject({
      language: ".robota/settings.local.json",
      maxTurns: "invocation",
    });
    await session.shutdown();
  });
});

it("takes effect with the next turn", async () => {
  await withSession({ [PERSON]: {} }, async (session) => {
    await session.updateSettings("user", { permissions: { deny: ["Bash(rm *)"] } });
    await session.submit("Hi");
    expect(session.settings?.values.permissions?.deny).toEqual(["Bash(rm *)"]);
    expect(session.explain("Bash", { command: "rm a" }).decision).toBe("deny");
  });
});

it("loses nothing with many concurrent writers", async () => {
  await withHost(async ({ platform, cwd }) => {
    const rules = Array.from({ length: 12 }, (_, index) => `Bash(rm ${index})`);
    await Promise.all(
      rules.map((rule) =>
        updateSettings(
          platform,
          "project",
          ({ permissions }) => ({ permissions: { deny: [...(permissions?.deny ?? []), rule] } }),
          { cwd },
        ),
      ),
    );
    const { values } = await readSettings(platform, { cwd });
    expect([...(values.permissions?.deny ?? [])].toSorted()).toEqual(rules.toSorted());
  });
});

it("writes nothing invalid, and never overwrites an unreadable file", async () => {
  await withSession({ [FILE]: COMMENTED }, async (session, platform) => {
    await expect(session.updateSettings("project", { maxTurns: -1 })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringContaining("maxTurns") as string,
    });
    expect(await textAt(platform, FILE)).toBe(COMMENTED);
    await platform.fs.writeFile(FILE, "{ half");
    await expect(session.updateSettings("project", { maxTurns: 1 })).rejects.toThrow(/line 1/);
    expect(await textAt(platform, FILE)).toBe("{ half");
  });
});

it("leaves the person's layer to a host that sets it", async () => {
  const platform = { ...hostWith({}), userSettings: {} };
  await expect(
    updateSettings(platform, "user", { language: "German" }, { cwd: CWD }),
  ).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
});
