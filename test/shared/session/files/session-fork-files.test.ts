import { withHost } from "#host";
import { contentText, InteractiveSession, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

let calls = 0;

function bash(command: string): Step {
  calls += 1;
  return { toolCalls: [{ id: `call-${calls}`, name: "Bash", args: { command } }] };
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

/** The files as the session's commands see them. */
async function seen(session: InteractiveSession): Promise<string> {
  await session.submit("Look");
  return contentText(session.getMessages().findLast(({ role }) => role === "tool")?.content ?? "");
}

const LOOK = "cat a.txt b.txt in/deep.txt; ls";

it("hides the original's later changes from a fork, in files that neither had changed", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/a.txt`, "a\n");
    await platform.fs.writeFile(`${cwd}/b.txt`, "b\n");
    await platform.fs.mkdir(`${cwd}/in`);
    await platform.fs.writeFile(`${cwd}/in/deep.txt`, "deep\n");
    const original = open(platform, cwd, [
      { text: "Begun" },
      bash("echo changed > a.txt; rm b.txt; echo new > new.txt"),
      { text: "Changed" },
      bash("rm -r in; echo again > a.txt; echo back > b.txt"),
      { text: "Changed again" },
      bash(LOOK),
      { text: "Looked" },
    ]);
    await original.submit("Begin");
    const first = await original.fork();
    await original.submit("Change");
    // Both forks have one script, whose steps they take in turn.
    const id = first.sessionId;
    await first.shutdown();
    const atOnce = open(platform, cwd, [bash(LOOK), { text: "Looked" }], id);
    expect(await seen(atOnce)).toContain("a\nb\ndeep\na.txt\nb.txt\nin");
    expect(await seen(atOnce)).not.toContain("new.txt");

    await original.submit("Change again");
    await atOnce.shutdown();
    const later = open(
      platform,
      cwd,
      [bash(`${LOOK}; echo own > a.txt; cat a.txt`), { text: "." }],
      id,
    );
    const found = await seen(later);
    expect(found).toContain("a\nb\ndeep\na.txt\nb.txt\nin");
    expect(found).toContain("own");

    // A fork of the fork is as far from the original.
    const grandchild = await later.fork();
    const grandchildId = grandchild.sessionId;
    await grandchild.shutdown();
    await later.shutdown();
    await original.shutdown();
    const last = open(platform, cwd, [bash(LOOK), { text: "." }], grandchildId);
    expect(await seen(last)).toContain("own\nb\ndeep\na.txt\nb.txt\nin");
    await last.shutdown();
    expect(new TextDecoder().decode(await platform.fs.readFile(`${cwd}/a.txt`))).toBe("again\n");
  }));

it("preserves files for an open fork that the original changes while the fork reads", () =>
  withHost(async ({ platform, cwd }) => {
    const filePath = `${cwd}/a.txt`;
    await platform.fs.writeFile(filePath, "at first");
    const read: Step = { toolCalls: [{ id: "r", name: "Read", args: { filePath } }] };
    const write = (content: string): Step => ({
      toolCalls: [{ id: content, name: "Write", args: { filePath, content } }],
    });
    const original = open(platform, cwd, [
      { text: "Begun" },
      ...["one", "two", "three"].flatMap((content) => [read, write(content), { text: "." }]),
    ]);
    await original.submit("Begin");
    const made = await original.fork();
    await made.shutdown();
    const script = Array.from({ length: 3 }, () => [bash("cat a.txt"), { text: "." }]).flat();
    const fork = open(platform, cwd, script, made.sessionId);
    const look = async (): Promise<string[]> => [
      await seen(fork),
      await seen(fork),
      await seen(fork),
    ];
    const change = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await original.submit("Write");
    };
    const [looks] = await Promise.all([look(), change()]);
    expect(looks).toEqual(["at first", "at first", "at first"]);
    expect(new TextDecoder().decode(await platform.fs.readFile(filePath))).toBe("three");
    await fork.shutdown();
    await original.shutdown();
  }));

it("preserves files for a fork that the original has announced to change and changes after the fork's read", () =>
  withHost(async ({ platform, cwd }) => {
    const begins = Promise.withResolvers<void>();
    const mayWrite = Promise.withResolvers<void>();
    const filePath = `${cwd}/a.txt`;
    await platform.fs.writeFile(filePath, "at first");
    const slow = new Proxy(platform.fs, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...args: unknown[]): Promise<unknown> => {
          if (name === "writeFile" && args[0] === filePath) {
            begins.resolve();
            await mayWrite.promise;
          }
          return Reflect.apply(member, target, args);
        };
      },
    });
    const write = (path: string): Step => ({
      toolCalls: [{ id: path, name: "Write", args: { filePath: path, content: "later" } }],
    });
    const read: Step = { toolCalls: [{ id: "r", name: "Read", args: { filePath } }] };
    const script = [{ text: "Begun" }, read, write(filePath), { text: "Written" }];
    const original = open({ ...platform, fs: slow }, cwd, script);
    await original.submit("Begin");
    const made = await original.fork();
    await made.shutdown();
    const look = [bash("cat a.txt"), { text: "." }];
    const fork = open(platform, cwd, [...look, ...look], made.sessionId);

    const written = original.submit("Write");
    await begins.promise;
    expect(await seen(fork)).toBe("at first");
    mayWrite.resolve();
    await written;
    expect(new TextDecoder().decode(await platform.fs.readFile(filePath))).toBe("later");
    expect(await seen(fork)).toBe("at first");
    await fork.shutdown();
    await original.shutdown();
  }));
