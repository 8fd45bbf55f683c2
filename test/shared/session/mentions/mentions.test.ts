import { InteractiveSession, replaySession, Session } from "@robota/runtime";
import { attachmentsIn } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

const PNG = Uint8Array.from("\x89PNG\r\n\x1a\n\0\0", (char) => char.charCodeAt(0));
const files = {
  "/code/src/a.ts": "export const a = 1;\n",
  "/code/src/lib/b.ts": "export const b = 2;\n",
  "/code/my notes.txt": "notes",
  "/code/picture.png": PNG,
  "/code/.env": "KEY=1",
  "/code/secret.txt": "classified",
  "/code/blob.bin": new Uint8Array([1, 0, 2]),
  "/code/node_modules/x.js": "x",
  "/code/.gitignore": "node_modules\n",
  "/elsewhere/c.txt": "outside",
};

function open(script: ConstructorParameters<typeof ScriptedProvider>[0] = []) {
  const platform = memoryPlatform({ files });
  const provider = new ScriptedProvider([...script, { text: "done" }]);
  const session = new InteractiveSession({
    platform,
    provider,
    cwd: "/code",
    permissions: { deny: ["Read(/code/secret.txt)"] },
  });
  return { platform, provider, session };
}

/** The attachments of the last prompt to the model, by name. */
function sent({ session }: ReturnType<typeof open>): Record<string, string> {
  const last = session.getMessages().findLast(({ role }) => role === "user");
  return Object.fromEntries(
    attachmentsIn(last?.content).map(({ name = "", mediaType, data = "" }) => [
      name,
      mediaType.startsWith("text/") ? atob(data) : mediaType,
    ]),
  );
}

describe("files that a prompt mentions", () => {
  it("go along with it: texts, pictures, and the names in a directory", async () => {
    const opened = open();
    await opened.session.submit('Compare @src/a.ts, @src/, @"my notes.txt" with @picture.png.');
    expect(sent(opened)).toEqual({
      "@src/a.ts": "export const a = 1;\n",
      "@src/": "a.ts\nlib/",
      "@my notes.txt": "notes",
      "@picture.png": "image/png",
    });
    await opened.session.shutdown();
  });

  it("stay words where reading is denied or would ask, and where nothing can be shown", async () => {
    const opened = open();
    const { state } = await opened.session.submit(
      "@secret.txt @/elsewhere/c.txt @../elsewhere/c.txt @blob.bin @nothing.txt ada@src/a.ts",
    );
    expect(state).toBe("complete");
    expect(sent(opened)).toEqual({});
    await opened.session.shutdown();
  });

  it("are known to Edit, and read again when the prompt is sent again", async () => {
    const edit = {
      id: "e",
      name: "Edit",
      args: { filePath: "src/a.ts", oldString: "1", newString: "2" },
    };
    const opened = open([{ toolCalls: [edit] }]);
    const { session, platform } = opened;
    await session.setPermissionMode("acceptEdits");
    await session.submit("Make it two: @src/a.ts");
    expect(new TextDecoder().decode(await platform.fs.readFile("/code/src/a.ts"))).toBe(
      "export const a = 2;\n",
    );
    const asked = session.getMessages().find(({ role }) => role === "user");
    const attachments = attachmentsIn(asked?.content);
    await session.submit("Make it two: @src/a.ts", { attachments });
    expect(sent(opened)).toEqual({ "@src/a.ts": "export const a = 2;\n" });
    await session.shutdown();
  });

  it("are cut where they are long, with a word about the rest", async () => {
    const opened = open();
    await opened.platform.fs.writeFile("/code/long.txt", "0123456789\n".repeat(10_000));
    await opened.session.submit("Look at @long.txt");
    const text = sent(opened)["@long.txt"] ?? "";
    expect(text.length).toBeLessThan(50_200);
    expect(text).toMatch(
      /9\n\n\(The first 49,995 of 110,000 characters\. Read shows the rest\.\)$/,
    );
    await opened.session.shutdown();
  });

  it("are replayed as they were sent", async () => {
    const { session, platform } = open();
    await session.submit("Look at @src/a.ts");
    await platform.fs.writeFile("/code/src/a.ts", "changed");
    await session.shutdown();
    const { storage } = platform;
    const recorded: string[] = [];
    for await (const { value } of storage.read(`sessions/${session.sessionId}`))
      recorded.push(new TextDecoder().decode(value));
    const { records } = await replaySession(
      { storage, sessionId: session.sessionId },
      memoryPlatform(),
    );
    expect(records.map((record) => new TextDecoder().decode(record))).toEqual(recorded);
  });

  it("are read for nobody but an interactive session's person", async () => {
    const platform = memoryPlatform({ files });
    const session = new Session({
      platform,
      provider: new ScriptedProvider([{ text: "done" }]),
      cwd: "/code",
    });
    await session.run("Look at @src/a.ts");
    expect(session.getHistory()[0]?.content).toBe("Look at @src/a.ts");
    await session.shutdown();
  });
});

describe("the completion of a mention", () => {
  it("offers files, directories and agents, best first, and neither ignored nor denied ones", async () => {
    const { session } = open();
    const offered = async (text: string) =>
      (await session.completeCommand(text)).map(({ value }) => value);
    const all = await offered("@");
    expect(all).toContain("@src/");
    expect(all).toContain("@src/lib/b.ts");
    expect(all).toContain('@"my notes.txt"');
    expect(all).toContain("@agent-general-purpose");
    expect(all.join(" ")).not.toMatch(/node_modules|secret/);
    expect((await offered("see @b.t"))[0]).toBe("@src/lib/b.ts");
    expect((await offered("@gener"))[0]).toBe("@agent-general-purpose");
    expect((await offered("@agent-gen"))[0]).toBe("@agent-general-purpose");
    expect(await offered("@zzz")).toEqual([]);
    const [found] = await session.completeCommand("see @a.t now", 8);
    expect(found).toEqual({ value: "@src/a.ts", description: "", start: 4, end: 8 });
    await session.shutdown();
  });
});
