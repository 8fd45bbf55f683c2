import { withHost } from "#host";
import {
  exportSession,
  importSession,
  InteractiveSession,
  listSessions,
  type Platform,
  replaySession,
  type SessionEvent,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { encodeEvents } from "../../../../packages/runtime/src/session/log/encode-events.ts";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

const decoder = new TextDecoder();

function call(name: string, args: Record<string, unknown>, id: string): Step {
  return { toolCalls: [{ id, name, args }] };
}

function sessionOf(
  platform: Platform,
  cwd: string,
  script: Step[],
  options: Partial<ConstructorParameters<typeof InteractiveSession>[0]> = {},
): InteractiveSession {
  return new InteractiveSession({
    platform,
    cwd,
    provider: new ScriptedProvider(script),
    permissionMode: "bypassPermissions",
    ...options,
  });
}

async function linesOf(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  return (await new Response(stream).text()).trimEnd().split("\n");
}

function streamOf(text: string | Uint8Array): ReadableStream<Uint8Array> {
  const { body } = new Response(text as string);
  if (!body) throw new Error("no body");
  return body;
}

/** A session on this host that has changed files in two turns. */
async function changedFiles(platform: Platform, cwd: string): Promise<InteractiveSession> {
  await platform.fs.writeFile(`${cwd}/old.txt`, "as it was\n");
  const session = sessionOf(platform, cwd, [
    call("Write", { filePath: `${cwd}/src/a.txt`, content: "one\n" }, "1"),
    { text: "First" },
    call("Bash", { command: "echo two > src/a.txt; echo changed > old.txt; rm -f gone" }, "2"),
    { text: "Second" },
  ]);
  await session.submit("Write one");
  await session.submit("Write two");
  return session;
}

async function contentOf(platform: Platform, path: string): Promise<string | undefined> {
  try {
    return decoder.decode(await platform.fs.readFile(path));
  } catch {
    return undefined;
  }
}

describe("an exported session", () => {
  // The first here to run a command: on some hosts loading the shell is most of its time.
  it("continues in another workspace with its conversation, its files and its checkpoints", () =>
    withHost(async ({ platform, cwd }) => {
      const here = await changedFiles(platform, cwd);
      const stream = await here.export();
      const there = memoryPlatform({ files: { "/elsewhere/": "" } });
      const moved = await InteractiveSession.import(there, stream, {
        provider: new ScriptedProvider([
          call("Bash", { command: "cat src/a.txt; echo three > src/a.txt" }, "3"),
          { text: "Third" },
        ]),
        cwd: "/elsewhere",
        files: "workspace",
        permissionMode: "bypassPermissions",
      });
      expect(moved.sessionId).toBe(here.sessionId);
      expect(moved.getMessages().map(({ content }) => content)).toEqual(
        here.getMessages().map(({ content }) => content),
      );
      expect(await contentOf(there, "/elsewhere/src/a.txt")).toBe("two\n");
      await moved.submit("Go on");
      expect(moved.getMessages().findLast(({ role }) => role === "tool")?.content).toContain("two");
      const [first, second, third] = moved.checkpoints();
      expect([first?.input, second?.input, third?.input]).toEqual([
        "Write one",
        "Write two",
        "Go on",
      ]);
      await moved.rewind(second?.id ?? "");
      expect(await contentOf(there, "/elsewhere/src/a.txt")).toBe("one\n");
      expect(await contentOf(there, "/elsewhere/old.txt")).toBe("as it was\n");
      expect(await contentOf(platform, `${cwd}/src/a.txt`)).toBe("two\n");
      await moved.shutdown();
      await here.shutdown();
    }));

  it("replays after it was moved, with calls that named files by their whole paths", () =>
    withHost(async ({ platform, cwd }) => {
      const filePath = `${cwd}/src/${"deep/".repeat(20)}a.txt`;
      const here = sessionOf(
        platform,
        cwd,
        [
          call("Write", { filePath, content: "one\n" }, "1"),
          call("Edit", { filePath, oldString: "one", newString: "two" }, "2"),
          call("Bash", { command: `cat ${filePath}` }, "3"),
          call("Agent", { subagent_type: "general-purpose", prompt: `Read ${filePath}` }, "4"),
          call("Read", { filePath }, "5"),
          { text: "It says two" },
          call("Glob", { pattern: "**/*.txt", path: `${cwd}/src` }, "6"),
          { text: "Done" },
        ],
        {
          permissionMode: "default",
          permissionHandler: () => ({ allow: true, scope: "session" }),
          hooks: { PreToolUse: [{ hooks: [{ type: "function", run: () => undefined }] }] },
        },
      );
      await here.submit("Work on it");
      const moved = await InteractiveSession.import(memoryPlatform(), await here.export(), {
        provider: new ScriptedProvider([]),
        cwd: "/elsewhere",
      });
      const [start] = moved.getFullHistory().filter(({ type }) => type === "tool-start");
      expect(start?.data).toMatchObject({ firstArg: expect.stringMatching(/^\/elsewhere\/src\//) });
      const { events } = await replaySession(await moved.export(), memoryPlatform());
      expect(events.filter(({ type }) => type === "tool_start").length).toBeGreaterThan(4);
      await moved.shutdown();
      await here.shutdown();
    }));

  it("omits files by default, and leaves the workspace unchanged", () =>
    withHost(async ({ platform, cwd }) => {
      const here = await changedFiles(platform, cwd);
      const exported = await linesOf(await here.export());
      const stream = streamOf(`${exported.join("\n")}\n`);
      await platform.fs.writeFile(`${cwd}/old.txt`, "somebody else's\n");
      const moved = await InteractiveSession.import(platform, stream, {
        provider: new ScriptedProvider([
          call("Bash", { command: "cat old.txt src/a.txt; echo mine > old.txt" }, "3"),
          { text: "Third" },
        ]),
        cwd,
        permissionMode: "bypassPermissions",
      });
      expect(moved.sessionId).not.toBe(here.sessionId);
      await moved.submit("Look");
      const seen = moved.getMessages().findLast(({ role }) => role === "tool")?.content;
      expect(seen).toContain("changed\ntwo");
      expect(await contentOf(platform, `${cwd}/old.txt`)).toBe("somebody else's\n");
      const headers = await listSessions(platform.storage);
      expect(headers.map(({ id }) => id).sort()).toEqual([here.sessionId, moved.sessionId].sort());
      await moved.shutdown();
      await here.shutdown();
    }));

  it("includes the whole workspace on request, without files ignored by git", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.fs.writeFile(`${cwd}/.gitignore`, "dist\n");
      await platform.fs.mkdir(`${cwd}/dist`);
      await platform.fs.writeFile(`${cwd}/dist/out`, "built\n");
      await platform.fs.writeFile(`${cwd}/never-touched.txt`, "still here\n");
      await platform.fs.writeFile(
        `${cwd}/image.bin`,
        Uint8Array.from({ length: 500_000 }, (_, i) => i % 251),
      );
      await platform.fs.symlink("never-touched.txt", `${cwd}/link`);
      await platform.fs.symlink("/etc/hosts", `${cwd}/out`);
      const here = await changedFiles(platform, cwd);
      const there = memoryPlatform({ files: { "/w/": "" } });
      const id = await importSession(there, await here.export({ files: "workspace" }), {
        cwd: "/w",
        files: "workspace",
      });
      expect(await contentOf(there, "/w/never-touched.txt")).toBe("still here\n");
      expect(await contentOf(there, "/w/link")).toBe("still here\n");
      expect(await there.fs.readFile("/w/image.bin")).toEqual(
        await platform.fs.readFile(`${cwd}/image.bin`),
      );
      expect(await contentOf(there, "/w/dist/out")).toBeUndefined();
      const moved = sessionOf(there, "/w", [], { resumeSessionId: id });
      await moved.ready;
      expect(moved.getFullHistory().find(({ type }) => type === "imported")?.data).toEqual({
        from: here.sessionId,
        leftOut: [{ path: "out", reason: "outside" }],
        leftOutCount: 1,
        mark: expect.any(String),
      });
      await moved.shutdown();
      await here.shutdown();
    }));

  it("includes a pending approval, to be answered at the destination", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(
        platform,
        cwd,
        [call("Write", { filePath: `${cwd}/a.txt`, content: "approved\n" }, "w")],
        { permissionMode: "default" },
      );
      void here.submit("Write it").catch(() => undefined);
      while (here.pendingPermissions().length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      const stream = await here.export();
      const there = memoryPlatform({ files: { "/new/": "" } });
      let asked = 0;
      const moved = await InteractiveSession.import(there, stream, {
        provider: new ScriptedProvider([{ text: "Written" }]),
        cwd: "/new",
        files: "workspace",
        permissionHandler: () => {
          asked += 1;
          return true;
        },
      });
      // Nothing goes on by itself, not even where a program would answer.
      expect(asked).toBe(0);
      const [request] = moved.pendingPermissions();
      expect(request).toEqual({
        id: request?.id,
        toolCallId: "w",
        tool: "Write",
        args: { filePath: "/new/a.txt", content: "approved\n" },
        reason: "It waits since before the session was imported.",
      });
      const ended = new Promise((resolve) => moved.on("complete", resolve));
      await moved.resolvePermission(request?.id ?? "", { allow: true });
      await ended;
      expect(await contentOf(there, "/new/a.txt")).toBe("approved\n");
      expect(await contentOf(platform, `${cwd}/a.txt`)).toBeUndefined();
      await moved.shutdown();
      await here.shutdown();
    }));

  it("is listed where it was imported as it was before, also by the name of an attachment", () =>
    withHost(async ({ platform, cwd }) => {
      const session = sessionOf(platform, cwd, [{ text: "A dot." }]);
      const picture = { type: "image" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
      const attachments = [{ ...picture, name: "shot.png" }];
      await session.submit("", { attachments });
      const there = memoryPlatform();
      await importSession(there, await session.export());
      expect(await listSessions(there.storage)).toMatchObject([{ preview: "shot.png" }]);
      await session.shutdown();
    }));

  it("is imported also when hooks ran before its first prompt was recorded", () =>
    withHost(async ({ platform, cwd }) => {
      const hooks = {
        UserPromptSubmit: [{ hooks: [{ type: "function" as const, run: () => ({}) }] }],
      };
      const session = sessionOf(platform, cwd, [{ text: "Hello" }], { hooks });
      await session.submit("Hi");
      const there = memoryPlatform();
      const id = await importSession(there, await session.export());
      const copy = sessionOf(there, "/", [], { resumeSessionId: id });
      await copy.ready;
      expect(copy.getMessages()).toEqual(session.getMessages());
      await copy.shutdown();
      await session.shutdown();
    }));

  it("is imported into an unused session only", () =>
    withHost(async ({ platform, cwd }) => {
      const here = await changedFiles(platform, cwd);
      const there = memoryPlatform({ files: { "/w/": "" } });
      const empty = sessionOf(there, "/w", [{ text: "Third" }], { sessionId: "empty" });
      await empty.importInto(await here.export());
      expect(empty.getMessages().at(-1)?.content).toBe("Second");
      expect((await empty.submit("Go on")).response).toBe("Third");
      await expect(empty.importInto(await here.export())).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
      });
      await empty.shutdown();
      const again = sessionOf(there, "/w", [], { resumeSessionId: "empty" });
      await again.ready;
      expect(again.getMessages().at(-1)?.content).toBe("Third");
      await again.shutdown();
      await here.shutdown();
    }));

  it("stays whole when something is recorded while it is imported", () =>
    withHost(async ({ platform, cwd }) => {
      const here = await changedFiles(platform, cwd);
      const there = memoryPlatform({ files: { "/w/": "" } });
      const empty = sessionOf(there, "/w", [{ text: "Third" }], { sessionId: "empty" });
      const log = (await here.export()).getReader();
      let meanwhile: Promise<unknown> | undefined;
      const source: UnderlyingDefaultSource<Uint8Array> = {
        async pull(controller) {
          meanwhile ??= Promise.all([empty.setName("Named meanwhile"), empty.submit("Go on")]);
          const { done, value } = await log.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      };
      const stream = new ReadableStream(source, { highWaterMark: 0 });
      await empty.ready;
      await empty.importInto(stream);
      await meanwhile;
      await empty.shutdown();
      const again = sessionOf(there, "/w", [], { resumeSessionId: "empty" });
      await again.ready;
      expect(again.getName()).toBe("Named meanwhile");
      const contents = again.getMessages().map(({ content }) => content);
      expect(contents.slice(0, -2)).toEqual(here.getMessages().map(({ content }) => content));
      expect(contents.slice(-2)).toEqual(["Go on", "Third"]);
      await again.shutdown();
      await here.shutdown();
    }));

  it("is streamed on demand", () =>
    withHost(async ({ platform, cwd }) => {
      const here = await changedFiles(platform, cwd);
      let reads = 0;
      const { storage } = platform;
      const counted = {
        ...countedStorage(platform),
        read(log: string, from?: number) {
          reads += 1;
          return storage.read(log, from);
        },
      };
      const stream = exportSession(counted, here.sessionId);
      expect(reads).toBe(0);
      const reader = stream.getReader();
      await reader.read();
      // The header needs to know of what the log speaks; no event was read for the stream.
      expect(reads).toBe(1);
      await reader.cancel();
      await here.shutdown();
    }));

  it("is read in pieces, however long its log is", async () => {
    const platform = memoryPlatform();
    const long: SessionEvent[] = Array.from({ length: 3_000 }, (_, index) => ({
      v: 1,
      seq: index + 1,
      sessionId: "long",
      time: index,
      type: "name_change",
      name: `${index} `.repeat(50),
    }));
    const records = encodeEvents(long).map(({ bytes }) => bytes);
    await platform.storage.append("sessions/long", records);
    let read = 0;
    const counted: Platform["storage"] = {
      ...countedStorage(platform),
      async *read(log, from) {
        for await (const entry of platform.storage.read(log, from)) {
          read += entry.value.length;
          yield entry;
        }
      },
    };
    const reader = exportSession(counted, "long").getReader();
    const size = records.reduce((total, { length }) => total + length, 0);
    let handedOn = (await reader.read()).value?.length ?? 0;
    expect(read).toBe(size);
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      handedOn += piece.value.length;
      expect(read - size - handedOn).toBeLessThan(128 * 1024);
    }
    expect(handedOn).toBeGreaterThan(size / 2);
  });
});

/** A storage by its methods, so that one of them can be watched. */
function countedStorage({ storage }: Platform): Platform["storage"] {
  return {
    get: (key) => storage.get(key),
    set: (key, value, options) => storage.set(key, value, options),
    version: (key) => storage.version(key),
    delete: (key) => storage.delete(key),
    keys: (prefix) => storage.keys(prefix),
    append: (log, entries) => storage.append(log, entries),
    read: (log, from) => storage.read(log, from),
    deleteLog: (log) => storage.deleteLog(log),
    acquire: (name, options) => storage.acquire(name, options),
  };
}

describe("an export", () => {
  const KEY = ["sk-ant", "api03", "abcdefghijklmnopqrstuvwxyz"].join("-");

  it("holds no secret: in streamed text, arguments, results or files", () =>
    withHost(async ({ platform, cwd }) => {
      const plain = "not a secret at all";
      const session = sessionOf(platform, cwd, [
        call("Write", { filePath: `${cwd}/.env`, content: `KEY=${KEY}\n` }, "1"),
        call("Bash", { command: `cat .env; echo ${plain} > plain.txt` }, "2"),
        { deltas: ["It is sk-ant", "-api03-abcdefgh", "ijklmnopqrstuvwxyz.", " Done."] },
        call("Write", { filePath: `${cwd}/.env`, content: "KEY=\n" }, "3"),
        { text: "Emptied" },
      ]);
      await session.submit(`My key is ${KEY}`);
      await session.submit("Empty it");
      const lines = await linesOf(await session.export());
      const text = lines.join("\n");
      expect(text).not.toContain("abcdefghijklmnop");
      expect(text).not.toContain(btoa(`KEY=${KEY}\n`).slice(0, 40));
      expect(text).toContain(plain);
      // The former content is named; a rewind reports it as missing rather than restoring something wrong.
      expect(lines.map((line): unknown => JSON.parse(line).leftOut?.reason)).toContain("secret");
      const there = memoryPlatform({ files: { "/w/": "" } });
      const id = await importSession(there, streamOf(`${text}\n`), {
        cwd: "/w",
        files: "workspace",
      });
      const moved = sessionOf(there, "/w", [], { resumeSessionId: id });
      await moved.ready;
      const { files } = await moved.rewind(moved.checkpoints()[1]?.id ?? "", "files");
      expect(files.notRestored.map(({ path }) => path)).toEqual(["/w/.env"]);
      await moved.shutdown();
      await session.shutdown();
    }));

  it("omits grants by default", () =>
    withHost(async ({ platform, cwd }) => {
      const session = sessionOf(
        platform,
        cwd,
        [call("Bash", { command: "echo x > x" }, "1"), { text: "Done" }],
        {
          permissionMode: "default",
          permissionHandler: () => ({ allow: true, scope: "session", pattern: "Bash(echo *)" }),
        },
      );
      await session.submit("Echo");
      expect(session.getSessionAllowedTools()).toEqual(["Bash(echo *)"]);
      const allowed = async (grants: boolean, trusted: boolean): Promise<string[]> => {
        const there = memoryPlatform({ files: { "/w/": "" } });
        const moved = await InteractiveSession.import(there, await session.export({ grants }), {
          provider: new ScriptedProvider([]),
          cwd: "/w",
          trusted,
        });
        const tools = moved.getSessionAllowedTools();
        await moved.shutdown();
        return tools;
      };
      expect(await allowed(false, true)).toEqual([]);
      expect(await allowed(true, false)).toEqual([]);
      expect(await allowed(true, true)).toEqual(["Bash(echo *)"]);
      await session.shutdown();
    }));
});
