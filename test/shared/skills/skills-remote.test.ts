import { withHost } from "#host";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { addSkill } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { exportZip, MemoryFileSystem } from "@robota/runtime/virtual";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { CWD, type Files, openSession, textOf } from "../../support/settings-support.ts";
import { skillCall, skillFile, toolResults } from "./skill-support.ts";

const URL = "https://skills.example/forms/SKILL.md";
const FILE = skillFile({ name: "forms", description: "Fills forms" }, "Fill $1.");
const bytesOf = (text: string) => new TextEncoder().encode(text);

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A host with these files at the home and in the workspace, and what it fetched from a site with one page. */
function hostWithSite(body: Uint8Array<ArrayBuffer>, files: Files = {}) {
  const fetched: string[] = [];
  const site = { body };
  const platform = memoryPlatform({
    files: {
      [`${CWD}/`]: "",
      ...Object.fromEntries(
        Object.entries(files).map(([path, text]) => [
          path.replace(/^~/, "/home/user"),
          textOf(text),
        ]),
      ),
    },
    userSettings: "home",
    fetch: async (input) => {
      fetched.push(input instanceof Request ? input.url : String(input));
      return new Response(site.body);
    },
  });
  return { platform, fetched, site };
}

async function opened(platform: Platform, options = {}) {
  const { session } = openSession(platform, options);
  await session.ready;
  const names = [...session.getSkills().keys()];
  const warnings = session.getSettings()?.warnings.map(({ layer, message }) => [layer, message]);
  await session.shutdown();
  return { names, warnings };
}

describe("a remote skill", () => {
  it("is fetched once, checked against its hash, stored, and then used without the network", async () => {
    const sha256 = await hashOf(bytesOf(FILE));
    const settings = { "~/.robota/settings.json": { skills: [{ url: URL, sha256 }] } };
    const { platform, fetched } = hostWithSite(bytesOf(FILE), settings);
    for (const _ of [1, 2]) {
      const { session } = openSession(platform, {}, [
        { toolCalls: [skillCall("forms", { args: "a.pdf" })] },
        { text: "ok" },
      ]);
      await session.submit("go");
      expect(toolResults(session)[0]).toContain(`from ${URL}.`);
      expect(toolResults(session)[0]).toContain("Fill a.pdf.");
      await session.shutdown();
    }
    expect(fetched).toEqual([URL]);
  });

  it("is added by a program before a session names it", async () => {
    const sha256 = await hashOf(bytesOf(FILE));
    const { platform, fetched } = hostWithSite(bytesOf(FILE));
    expect(await addSkill(URL, { platform, sha256 })).toMatchObject({
      name: "forms",
      description: "Fills forms",
      source: URL,
    });
    expect(await opened(platform, { settings: { skills: [{ url: URL, sha256 }] } })).toEqual({
      names: ["forms"],
      warnings: [],
    });
    expect(fetched).toEqual([URL]);
  });

  it("is an error with a hint when its hash differs, and is neither stored nor used", async () => {
    const sha256 = await hashOf(bytesOf(FILE));
    const { platform, site, fetched } = hostWithSite(bytesOf(FILE.replace("Fill", "Steal")));
    await expect(addSkill(URL, { platform, sha256 })).rejects.toMatchObject({
      name: "ValidationError",
      message: `The skill at ${URL} is not the one with the hash ${sha256}`,
      hint: expect.stringContaining(await hashOf(site.body)),
    });
    const { names, warnings } = await opened(platform, {
      settings: { skills: [{ url: URL, sha256 }] },
    });
    expect(names).toEqual([]);
    expect(warnings).toEqual([[URL, expect.stringContaining("is not the one with the hash")]]);
    expect(await platform.storage.keys("skills/")).toEqual([]);
    expect(fetched).toHaveLength(2);
  });

  it("is checked again when read: changed content in the storage is fetched anew", async () => {
    const sha256 = await hashOf(bytesOf(FILE));
    const { platform, fetched } = hostWithSite(bytesOf(FILE));
    await addSkill(URL, { platform, sha256 });
    await platform.storage.set(`skills/${sha256}`, bytesOf(FILE.replace("Fill", "Steal")));
    expect(await addSkill(URL, { platform, sha256 })).toMatchObject({ body: "Fill $1." });
    expect(fetched).toHaveLength(2);
  });

  it.each([
    ["http://127.0.0.1/SKILL.md", "loopback"],
    ["http://169.254.169.254/SKILL.md", "metadata"],
    ["https://user:pass@skills.example/SKILL.md", "password"],
    ["file:///etc/passwd", "not fetched"],
  ])("is not fetched from %s", async (url, reason) => {
    const { platform, fetched } = hostWithSite(bytesOf(FILE));
    const sha256 = await hashOf(bytesOf(FILE));
    await expect(addSkill(url, { platform, sha256 })).rejects.toThrow(reason);
    expect(fetched).toEqual([]);
  });

  it.each([
    ["Do it.", "no front matter"],
    ["---\ndescription: x\n---\nDo it.", "needs a name"],
    [skillFile({ name: "forms" }, "x".repeat(100_000)), "larger than 100000 bytes"],
  ])("is refused when it is not a skill: %#", async (text, reason) => {
    const { platform } = hostWithSite(bytesOf(text));
    const sha256 = await hashOf(bytesOf(text));
    await expect(addSkill(URL, { platform, sha256 })).rejects.toThrow(reason);
    expect(await platform.storage.keys("skills/")).toEqual([]);
  });

  it.each(["", "abc", "A".repeat(64)])("needs a hash, and %j is not one", async (sha256) => {
    const { platform, fetched } = hostWithSite(bytesOf(FILE));
    await expect(addSkill(URL, { platform, sha256 })).rejects.toThrow("is not a SHA-256");
    expect(fetched).toEqual([]);
    const { session } = openSession(platform, { settings: { skills: [{ url: URL, sha256 }] } });
    await expect(session.ready).rejects.toThrow("skills.0.sha256 must be a SHA-256");
  });

  it("of a project is fetched after trust, and never before", async () => {
    const sha256 = await hashOf(bytesOf(FILE));
    const files = { [`${CWD}/.robota/settings.json`]: { skills: [{ url: URL, sha256 }] } };
    for (const [trustWorkspace, names] of [
      [undefined, []],
      [false, []],
      [true, ["forms"]],
    ] as const) {
      const { platform, fetched } = hostWithSite(bytesOf(FILE), files);
      expect(await opened(platform, { trustWorkspace })).toMatchObject({ names });
      expect(fetched).toHaveLength(names.length);
    }
  });

  it("comes after those of files with its name, with a warning", async () => {
    const sha256 = await hashOf(bytesOf(FILE));
    const own = { "~/.robota/skills/forms/SKILL.md": skillFile({}, "My own.") };
    const { platform } = hostWithSite(bytesOf(FILE), own);
    expect(await opened(platform, { settings: { skills: [{ url: URL, sha256 }] } })).toEqual({
      names: ["forms"],
      warnings: [
        [URL, "is not in force: ~/.robota/skills/forms/SKILL.md has the name forms before it"],
      ],
    });
  });
});

it("reads a skill with its files from an archive, on this host", () =>
  withHost(async ({ platform: host, cwd }) => {
    const files = new MemoryFileSystem({
      files: {
        "/any-folder/SKILL.md": FILE,
        "/any-folder/references/fields.md": "Name, street",
      },
    });
    const archive = await new Response(exportZip(files, "/any-folder")).arrayBuffer();
    const url = "https://skills.example/forms.zip";
    const sha256 = await hashOf(new Uint8Array(archive));
    const platform: Platform = {
      ...host,
      fs: host.fs,
      shell: host.shell,
      storage: host.storage,
      home: host.home,
      fetch: async () => new Response(archive.slice(0)),
      pinnedFetch: undefined,
      env: (name) => host.env(name),
      now: () => host.now(),
      randomUUID: () => host.randomUUID(),
      dispose: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const provider = new ScriptedProvider([
      { toolCalls: [skillCall("forms", { args: "a.pdf" })] },
      {
        toolCalls: ["references/fields.md", "../skill/SKILL.md", "../../etc/passwd"].map((file) =>
          skillCall("forms", { file }),
        ),
      },
      { text: "ok" },
    ]);
    const session = new InteractiveSession({
      platform,
      cwd,
      provider,
      settings: { skills: [{ url, sha256 }] },
    });
    await session.submit("go");
    const [loaded, fields, ...escapes] = toolResults(session);
    expect(loaded).toContain("Read its other files by naming them as file: references/fields.md.");
    expect(fields).toBe("Name, street");
    for (const escape of escapes.slice(1)) expect(escape).toContain("leads out of the skill forms");
    await session.shutdown();
  }));
