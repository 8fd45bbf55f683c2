import { withHost } from "#host";
import { InteractiveSession, type Platform, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

function call(name: string, args: Record<string, unknown>, id = `${name}-1`): Step {
  return { toolCalls: [{ id, name, args }] };
}

function bash(command: string): Step {
  return call("Bash", { command });
}

async function contentOf(platform: Platform, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await platform.fs.readFile(path));
  } catch {
    return undefined;
  }
}

/** A session on the host's files that does these things, one turn after the other. */
function sessionOf(
  platform: Platform,
  cwd: string,
  script: Step[],
  sessionId?: string,
): InteractiveSession {
  return new InteractiveSession({
    platform,
    cwd,
    provider: new ScriptedProvider(script),
    permissionMode: "bypassPermissions",
    resumeSessionId: sessionId,
  });
}

it("restores files changed by tools and commands, and can be undone", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/kept.txt`, "as it was\n");
    await platform.fs.writeFile(`${cwd}/gone.txt`, "soon gone\n");
    await platform.fs.mkdir(`${cwd}/old`);
    await platform.fs.writeFile(`${cwd}/old/inside.txt`, "deep\n");
    const session = sessionOf(platform, cwd, [
      { text: "Hello" },
      call("Write", { filePath: `${cwd}/new.txt`, content: "new\n" }),
      bash(
        "rm gone.txt && echo changed > kept.txt && mv old moved && mkdir made && echo x > made/x",
      ),
      { text: "Done" },
    ]);
    await session.submit("Hi");
    await session.submit("Change things");
    const changed = {
      "new.txt": "new\n",
      "kept.txt": "changed\n",
      "gone.txt": undefined,
      "old/inside.txt": undefined,
      "moved/inside.txt": "deep\n",
      "made/x": "x\n",
    };
    const original = {
      "new.txt": undefined,
      "kept.txt": "as it was\n",
      "gone.txt": "soon gone\n",
      "old/inside.txt": "deep\n",
      "moved/inside.txt": undefined,
      "made/x": undefined,
    };
    const files = async (): Promise<Record<string, string | undefined>> => {
      const contents: Record<string, string | undefined> = {};
      for (const name of Object.keys(original))
        contents[name] = await contentOf(platform, `${cwd}/${name}`);
      return contents;
    };
    expect(await files()).toEqual(changed);

    const [, turn] = session.checkpoints();
    expect(turn).toMatchObject({ kind: "turn", input: "Change things" });
    const preview = await session.previewRewind(turn?.id ?? "");
    expect(await files()).toEqual(changed);
    expect(preview).toEqual({
      changes: [
        { path: `${cwd}/gone.txt`, before: null, after: "soon gone\n" },
        { path: `${cwd}/kept.txt`, before: "changed\n", after: "as it was\n" },
        { path: `${cwd}/made/x`, before: "x\n", after: null },
        { path: `${cwd}/moved/inside.txt`, before: "deep\n", after: null },
        { path: `${cwd}/new.txt`, before: "new\n", after: null },
        { path: `${cwd}/old/inside.txt`, before: null, after: "deep\n" },
      ],
      binary: [],
      notRestored: [],
    });
    await expect(session.previewRewind("unknown")).rejects.toMatchObject({ code: "NOT_FOUND" });
    const result = await session.rewind(turn?.id ?? "", "both");
    expect(await files()).toEqual(original);
    expect(result).toMatchObject({ input: "Change things", files: { notRestored: [] } });
    expect(session.getMessages().map(({ content }) => content)).toEqual(["Hi", "Hello"]);

    await session.rewind(result.undoId, "both");
    expect(await files()).toEqual(changed);
    expect(session.getMessages().map(({ content }) => content)).toContain("Done");
    await session.shutdown();
  }));

it("rewinds after a reload, files and conversation separately", () =>
  withHost(async ({ platform, cwd }) => {
    const first = sessionOf(platform, cwd, [
      call("Write", { filePath: `${cwd}/a.txt`, content: "one\n" }),
      { text: "First" },
      call("Write", { filePath: `${cwd}/a.txt`, content: "two\n" }),
      { text: "Second" },
    ]);
    await first.submit("Write one");
    await first.submit("Write two");
    await first.shutdown();

    const again = sessionOf(platform, cwd, [{ text: "Third" }], first.sessionId);
    await again.ready;
    const [one, two] = again.checkpoints();
    await again.rewind(two?.id ?? "", "files");
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBe("one\n");
    expect(again.getMessages().map(({ content }) => content)).toContain("Second");
    await again.rewind(one?.id ?? "", "files");
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBeUndefined();
    await again.rewind(two?.id ?? "", "conversation");
    expect(again.getMessages().at(-1)?.content).toBe("First");
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBeUndefined();
    expect((await again.submit("Go on")).response).toBe("Third");
    await again.shutdown();

    const last = sessionOf(platform, cwd, [], first.sessionId);
    await last.ready;
    expect(last.getMessages().map(({ content }) => content)).toEqual(
      again.getMessages().map(({ content }) => content),
    );
    expect(last.checkpoints()).toEqual(again.checkpoints());
    await last.shutdown();
  }));

it("goes back to every version of a prompt that was sent again, with its files, also after a reload", () =>
  withHost(async ({ platform, cwd }) => {
    const first = sessionOf(platform, cwd, [
      bash("echo one > a.txt"),
      { text: "First" },
      bash("echo two > a.txt && touch two.txt"),
      { text: "Second" },
      bash("echo three > a.txt"),
      { text: "Third" },
    ]);
    await first.submit("One");
    const versions: string[] = [];
    for (const [before, after] of [
      ["One", "Two"],
      ["Two", "Three"],
    ]) {
      const turn = first.checkpoints().findLast(({ input }) => input === before);
      versions.push((await first.rewind(turn?.id ?? "")).undoId);
      await first.submit(after ?? "");
    }
    await first.shutdown();

    const again = sessionOf(platform, cwd, [], first.sessionId);
    await again.ready;
    const [one = "", two = ""] = versions;
    const look = async () => [
      again.getMessages().at(-1)?.content,
      await contentOf(platform, `${cwd}/a.txt`),
      await contentOf(platform, `${cwd}/two.txt`),
    ];
    expect(await look()).toEqual(["Third", "three\n", undefined]);
    const { undoId: three } = await again.rewind(one);
    expect(await look()).toEqual(["First", "one\n", undefined]);
    await again.rewind(two);
    expect(await look()).toEqual(["Second", "two\n", ""]);
    await again.rewind(three);
    expect(await look()).toEqual(["Third", "three\n", undefined]);
    expect(again.checkpoints().filter(({ kind }) => kind === "turn")).toHaveLength(1);
    await again.shutdown();
  }));

it("leaves others' changes and files alone", () =>
  withHost(async ({ platform, cwd }) => {
    const session = sessionOf(platform, cwd, [
      bash("mkdir made && echo x > made/x"),
      { text: "Done" },
    ]);
    await session.submit("Make it");
    await platform.fs.writeFile(`${cwd}/made/mine.txt`, "mine\n");
    await platform.fs.writeFile(`${cwd}/other.txt`, "mine\n");
    const [turn] = session.checkpoints();
    await session.rewind(turn?.id ?? "");
    expect(await contentOf(platform, `${cwd}/made/x`)).toBeUndefined();
    expect(await contentOf(platform, `${cwd}/made/mine.txt`)).toBe("mine\n");
    expect(await contentOf(platform, `${cwd}/other.txt`)).toBe("mine\n");
    await session.shutdown();
  }));

it("reports the files that it could not restore", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/huge.bin`, new Uint8Array(9 * 2 ** 20));
    const session = sessionOf(platform, cwd, [bash("echo small > huge.bin"), { text: "Done" }]);
    await session.submit("Shrink it");
    const [turn] = session.checkpoints();
    const { files } = await session.rewind(turn?.id ?? "");
    expect(files.notRestored.map(({ path }) => path)).toEqual([`${cwd}/huge.bin`]);
    expect(await contentOf(platform, `${cwd}/huge.bin`)).toBe("small\n");
    await session.shutdown();
  }));

it("refuses what it can't restore, and changes nothing", () =>
  withHost(async ({ platform, cwd }) => {
    const session = sessionOf(platform, cwd, [{ text: "Hello" }]);
    await session.submit("Hi");
    const [first] = session.checkpoints();
    // As a program of plain JavaScript may misspell it.
    const misspelt = "Files" as "files";
    await expect(session.rewind(first?.id ?? "", misspelt)).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: '"Files" is not what a rewind can restore',
      hint: "Say one of both, files, conversation.",
    });
    expect(session.getMessages()).toHaveLength(2);
    await session.shutdown();
  }));

it("refuses a checkpoint of another conversation, and any while a turn runs", () =>
  withHost(async ({ platform, cwd }) => {
    const { promise: answer, resolve: end } = Promise.withResolvers<{ text: string }>();
    const session = new Session({ platform, cwd, provider: new ScriptedProvider([() => answer]) });
    await expect(session.rewind("nowhere")).rejects.toMatchObject({ code: "NOT_FOUND" });
    const running = session.run("Hi");
    await expect.poll(() => session.checkpoints()).toHaveLength(1);
    await expect(session.rewind(session.checkpoints()[0]?.id ?? "")).rejects.toMatchObject({
      code: "SESSION_BUSY",
    });
    end({ text: "Slow" });
    expect(await running).toBe("Slow");
    await session.shutdown();
  }));
