import { InteractiveSession, Robota, RobotaError, Session, ValidationError } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { RemoteSession } from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { remote } from "../../support/network/remote-sessions.ts";
import { echo, echoCall } from "../../support/support.ts";

/** What a variable holds that was never set, or comes of another form from JSON. */
const WRONG: readonly unknown[] = [undefined, null, 5, {}, [], ""];

/** Arguments in front of a wrong one, of the methods that take more than one. */
const FIRST: Readonly<Record<string, unknown>> = {
  changedContents: ["/a"],
  completeCommand: "/h",
  edit: "one",
  executeCommand: "help",
  explain: "Read",
  injectMessage: "user",
  move: "one",
  off: "event",
  on: "event",
  prepareCommand: "help",
  resolvePermission: "one",
  restoreFiles: ["/a"],
  rewind: "one",
  run: "Hi",
  setQueue: [],
  submit: "Hi",
  submitPrompt: { text: "Hi" },
  updateSettings: "user",
};

const replies = () => Array.from({ length: 100 }, () => ({ text: "Hi" }));
const given = () => ({ platform: memoryPlatform(), provider: new ScriptedProvider(replies()) });

/** The public methods of a class, whichever it has. */
function methodsOf(type: { prototype: object }): string[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(type.prototype));
  return members.flatMap(([name, { value }]) =>
    typeof value === "function" && name !== "constructor" && name !== "shutdown" ? [name] : [],
  );
}

async function settle(target: object, method: string, args: readonly unknown[]): Promise<void> {
  const called: unknown = Reflect.get(target, method);
  if (typeof called !== "function") throw new Error(`There is no method ${method}`);
  const outcome: unknown = await Reflect.apply(called, target, args);
  if (!isEvents(outcome)) return;
  await outcome.next();
  await outcome.return(undefined);
}

function isEvents(value: unknown): value is AsyncGenerator {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    !(value instanceof ReadableStream)
  );
}

/** Calls a method with every wrong argument, and lists what it throws that tells nobody what to do. */
async function unhelpful(target: object, method: string): Promise<string[]> {
  const found: string[] = [];
  const leads = method in FIRST ? [[], [FIRST[method]]] : [[]];
  for (const lead of leads)
    for (const wrong of WRONG) {
      try {
        await settle(target, method, [...lead, wrong]);
      } catch (error) {
        if (error instanceof RobotaError && error.hint !== "") continue;
        found.push(`${method}(${JSON.stringify([...lead, wrong])}): ${String(error)}`);
      }
    }
  return found;
}

describe("no method throws a bare error for an argument of another form, or spoils what follows", () => {
  it.each(methodsOf(Robota))("Robota.%s", async (method) => {
    const agent = new Robota(given());
    expect(await unhelpful(agent, method)).toEqual([]);
    expect((await agent.run("Hi")).text).toBe("Hi");
  });

  it.each(methodsOf(Session))("Session.%s", async (method) => {
    const session = new Session(given());
    await session.run("Hi");
    expect(await unhelpful(session, method)).toEqual([]);
    expect(await session.run("Hi")).toBe("Hi");
    await settle(session, "shutdown", [null]);
  });

  it.each(methodsOf(InteractiveSession))("InteractiveSession.%s", async (method) => {
    const session = new InteractiveSession(given());
    await session.submit("Hi");
    expect(await unhelpful(session, method)).toEqual([]);
    expect((await session.submit("Hi")).state).toBe("complete");
    await settle(session, "shutdown", [null]);
  });

  it.each(methodsOf(RemoteSession))("RemoteSession.%s", async (method) => {
    const { connect } = remote(replies());
    const session = await connect();
    await session.submit("Hi");
    expect(await unhelpful(session, method)).toEqual([]);
    expect((await session.submit("Hi")).state).toBe("complete");
    await session.shutdown();
  });

  it.each(["edit", "move", "remove"])("InteractiveSession.queue.%s", async (method) => {
    const session = new InteractiveSession(given());
    expect(await unhelpful(session.queue, method)).toEqual([]);
    await session.shutdown();
  });

  it.each([InteractiveSession, Session, Robota, RemoteSession])("new %o", (type) => {
    for (const wrong of WRONG)
      expect(() => Reflect.construct(type, [wrong])).toThrow(
        expect.objectContaining({ hint: expect.stringMatching(/./) }),
      );
  });
});

it("names the argument in the hint", async () => {
  const session = new InteractiveSession(given());
  const calls: readonly (readonly [method: string, name: string])[] = [
    ["steer", "text"],
    ["rewind", "checkpointId"],
    ["previewRewind", "checkpointId"],
    ["setName", "name"],
    ["revokePermission", "pattern"],
    ["executeCommand", "name"],
    ["completeCommand", "text"],
    ["submitPrompt", "prompt"],
  ];
  for (const [method, name] of calls)
    await expect(settle(session, method, [undefined]), method).rejects.toMatchObject({
      name: "ValidationError",
      hint: `Pass a value of type ${method === "submitPrompt" ? "object" : "string"} as ${name}.`,
    });
  await session.shutdown();
});

it("lets a turn end that another caller began, when it is steered with no text", async () => {
  const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]);
  const session = new InteractiveSession({ platform: memoryPlatform(), provider, tools: [echo] });
  const asked = new Promise<string>((resolve) =>
    session.on("permission_request", ({ id }) => resolve(id)),
  );
  const turn = session.submit("Go");
  const request = await asked;
  await expect(settle(session, "steer", [undefined])).rejects.toBeInstanceOf(ValidationError);
  await expect(settle(session.queue, "edit", ["one", 5])).rejects.toBeInstanceOf(ValidationError);
  await session.resolvePermission(request, true);
  expect(await turn).toMatchObject({ state: "complete", response: "done" });
  await session.shutdown();
});

it("restores no file when it is not told which", async () => {
  const write = { name: "Write", args: { filePath: "/a.txt", content: "new" } };
  const provider = new ScriptedProvider([{ toolCalls: [write] }, { text: "Written" }]);
  const platform = memoryPlatform();
  const session = new InteractiveSession({
    platform,
    provider,
    permissionMode: "acceptEdits",
    cwd: "/",
  });
  await session.submit("Write it");
  const written = await platform.fs.readFile("/a.txt");
  await expect(settle(session.changes, "restoreFiles", [undefined])).rejects.toBeInstanceOf(
    ValidationError,
  );
  expect(await platform.fs.readFile("/a.txt")).toEqual(written);
  await session.shutdown();
});

it("imports from no stream that is none, or that something else reads", async () => {
  const session = new Session(given());
  for (const stream of [undefined, "{}", {}])
    await expect(settle(session, "importInto", [stream, null])).rejects.toBeInstanceOf(
      ValidationError,
    );
  const taken = new Blob(["{}"]).stream();
  taken.getReader();
  await expect(session.importInto(taken)).rejects.toBeInstanceOf(ValidationError);
  expect(await session.run("Hi")).toBe("Hi");
  await session.shutdown();
});
