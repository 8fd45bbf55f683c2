import { withHost } from "#host";
import { InteractiveSession, type Platform } from "@robota/runtime";
import type { ChangedFile } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

let calls = 0;

function bash(command: string): Step {
  calls += 1;
  return { toolCalls: [{ id: `call-${calls}`, name: "Bash", args: { command } }] };
}

function write(filePath: string, content: string): Step {
  calls += 1;
  return { toolCalls: [{ id: `call-${calls}`, name: "Write", args: { filePath, content } }] };
}

function open(platform: Platform, cwd: string, script: Step[], id?: string): InteractiveSession {
  return new InteractiveSession({
    platform,
    cwd,
    provider: new ScriptedProvider(script),
    permissionMode: "bypassPermissions",
    resumeSessionId: id,
  });
}

async function contentOf({ fs }: Platform, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await fs.readFile(path));
  } catch {
    return undefined;
  }
}

function listed(cwd: string, files: readonly ChangedFile[]): string[] {
  return files.map(({ path, kind, now }) => `${kind} ${path.slice(cwd.length + 1)} ${now}`);
}

it("lists what commands changed in a turn and since the start, and reads both versions", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/kept.txt`, "one\n");
    await platform.fs.writeFile(`${cwd}/gone.txt`, "soon gone\n");
    await platform.fs.writeFile(`${cwd}/same.txt`, "same\n");
    const session = open(platform, cwd, [
      bash("echo two > kept.txt; rm gone.txt; mkdir made; echo new > made/new.txt"),
      { text: "Changed" },
      bash("echo more >> kept.txt; echo x > same.txt; echo same > same.txt; rm -r made"),
      { text: "Changed again" },
    ]);
    expect(await session.changes.changedFiles()).toEqual([]);
    await session.submit("Change");
    const [first] = session.checkpoints();
    const inFirst = [
      "deleted gone.txt changed",
      "modified kept.txt changed",
      "added made/new.txt changed",
    ];
    expect(listed(cwd, await session.changes.changedFiles(first?.id))).toEqual(inFirst);
    expect(listed(cwd, await session.changes.changedFiles())).toEqual(inFirst);

    await session.submit("Change again");
    const last = session.checkpoints().at(-1);
    expect(listed(cwd, await session.changes.changedFiles(last?.id))).toEqual([
      "modified kept.txt changed",
      "deleted made/new.txt changed",
    ]);
    expect(listed(cwd, await session.changes.changedFiles(first?.id))).toEqual([
      "deleted gone.txt changed",
      "modified kept.txt changed-again",
      "added made/new.txt undone",
    ]);
    expect(listed(cwd, await session.changes.changedFiles())).toEqual([
      "deleted gone.txt changed",
      "modified kept.txt changed",
    ]);
    const versions = async (turnId?: string) => {
      const found = await session.changes.changedContents(
        [`${cwd}/kept.txt`, `${cwd}/gone.txt`],
        turnId,
      );
      return found
        .toSorted((one, other) => (one.path < other.path ? -1 : 1))
        .map(({ path, before, after }) => [path.slice(cwd.length + 1), before, after]);
    };
    expect(await versions(first?.id)).toEqual([
      ["gone.txt", "soon gone\n", null],
      ["kept.txt", "one\n", "two\n"],
    ]);
    expect(await versions(last?.id)).toEqual([["kept.txt", "two\n", "two\nmore\n"]]);
    expect(await versions()).toEqual([
      ["gone.txt", "soon gone\n", null],
      ["kept.txt", "one\n", "two\nmore\n"],
    ]);
    await expect(session.changes.changedFiles("no-such-turn")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await session.shutdown();
  }));

it("takes a person's changes after a turn for none of the turn, also after a reload", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/a.txt`, "one\n");
    const session = open(platform, cwd, [bash("echo two > a.txt"), { text: "Changed" }]);
    await session.submit("Change");
    const turnId = session.checkpoints()[0]?.id;
    await session.workspace.fs.writeFile(`${cwd}/a.txt`, "mine\n");
    await session.workspace.fs.writeFile(`${cwd}/own.txt`, "own\n");
    const expectBoth = async (each: InteractiveSession) => {
      expect(listed(cwd, await each.changes.changedFiles(turnId))).toEqual([
        "modified a.txt changed-again",
      ]);
      expect(listed(cwd, await each.changes.changedFiles())).toEqual([
        "modified a.txt changed",
        "added own.txt changed",
      ]);
      const [content] = await each.changes.changedContents([`${cwd}/a.txt`], turnId);
      expect(content?.after).toBe("two\n");
    };
    await expectBoth(session);
    await session.shutdown();
    const again = open(platform, cwd, [], session.sessionId);
    await expectBoth(again);
    await again.shutdown();
  }));

it("restores single files and directories to a turn or the start, and undoes that", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/a.txt`, "a\n");
    await platform.fs.writeFile(`${cwd}/b.txt`, "b\n");
    const session = open(platform, cwd, [
      write(`${cwd}/in/deep/x`, "x"),
      bash("echo a1 > a.txt; echo b1 > b.txt; echo y > in/y"),
      { text: "Changed" },
      bash("echo a2 > a.txt; rm b.txt"),
      { text: "Changed again" },
    ]);
    await session.submit("Change");
    await session.submit("Change again");
    const turnId = session.checkpoints()[1]?.id;

    const back = await session.changes.restoreFiles([`${cwd}/a.txt`], turnId);
    expect(back.files.restored).toEqual([`${cwd}/a.txt`]);
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBe("a1\n");
    expect(await contentOf(platform, `${cwd}/b.txt`)).toBeUndefined();
    expect(listed(cwd, await session.changes.changedFiles(turnId))).toEqual([
      "modified a.txt undone",
      "deleted b.txt changed",
    ]);
    await session.changes.restoreFiles([`${cwd}/a.txt`], back.undoId);
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBe("a2\n");

    await session.changes.restoreFiles([`${cwd}/b.txt`]);
    expect(await contentOf(platform, `${cwd}/b.txt`)).toBe("b\n");
    // A directory that was made for a file goes with its last one.
    await session.changes.restoreFiles([`${cwd}/in/deep/x`]);
    const names = async (path: string) => (await platform.fs.readdir(path)).map(({ name }) => name);
    expect(await names(`${cwd}/in`)).toEqual(["y"]);
    const gone = await session.changes.restoreFiles([`${cwd}/in`]);
    expect(gone.files.notRestored).toEqual([]);
    expect(await names(cwd)).toEqual(["a.txt", "b.txt"]);
    await session.rewind(gone.undoId, "files");
    expect(await names(`${cwd}/in`)).toEqual(["y"]);
    await expect(session.changes.restoreFiles([cwd], "no-such")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });

    const stored = session.sessionId;
    await session.shutdown();
    const again = open(platform, cwd, [], stored);
    expect(listed(cwd, await again.changes.changedFiles())).toEqual([
      "modified a.txt changed",
      "added in/y changed",
    ]);
    await again.shutdown();
  }));

it("gives the size of a version that is no text or a large one", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/binary`, new Uint8Array([1, 0, 2]));
    const session = open(platform, cwd, [
      bash("echo text > binary; ln -s binary link; head -c 1000001 /dev/zero > large.txt"),
      { text: "Changed" },
    ]);
    await session.submit("Change");
    const paths = ["binary", "link", "large.txt"].map((name) => `${cwd}/${name}`);
    const found = await session.changes.changedContents(paths);
    expect(found.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: paths[0], before: { size: 3, reason: "binary" }, after: "text\n" },
      { path: paths[2], before: null, after: { size: 1_000_001, reason: "too-large" } },
      { path: paths[1], before: null, after: "binary" },
    ]);
    await session.shutdown();
  }));

it("refuses to restore a file that was changed since it was listed, with all that were to go with it", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/a.txt`, "a\n");
    const session = open(platform, cwd, [
      bash("echo a1 > a.txt; echo b1 > b.txt"),
      { text: "Changed" },
    ]);
    await session.submit("Change");
    const listing = await session.changes.changedFiles();
    await platform.fs.writeFile(`${cwd}/b.txt`, "by another program\n");
    const checkpoints = session.checkpoints().length;
    await expect(session.changes.restoreFiles(listing)).rejects.toMatchObject({
      code: "FILE_CHANGED",
      message: `${cwd}/b.txt was changed since it was listed`,
    });
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBe("a1\n");
    expect(session.checkpoints()).toHaveLength(checkpoints);

    await session.changes.restoreFiles(await session.changes.changedFiles());
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBe("a\n");
    expect(await contentOf(platform, `${cwd}/b.txt`)).toBeUndefined();
    await session.shutdown();
  }));
