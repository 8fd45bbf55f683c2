import {
  contentText,
  createFunctionTool,
  Session,
  type SessionEvent,
  type SessionOptions,
  SessionStore,
  type Tool,
} from "@robota/runtime";
import { type ToolMessage } from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { echo, echoCall, endless } from "../../../support/support.ts";

const fails = createFunctionTool("fails", "Fails", { type: "object" }, () =>
  Promise.reject(new Error("broken")),
);
const forbidden = createFunctionTool("forbidden", "Is denied", { type: "object" }, () => "ran");

/** A session whose model makes these calls in one answer, by the names of tools, with their names for ids. */
function batch(
  tools: readonly Tool[],
  options: Partial<SessionOptions> = {},
): { session: Session; storage: MemoryStorage; events: SessionEvent[]; next: ScriptedProvider } {
  const storage = new MemoryStorage();
  const toolCalls = tools.map(({ name }) =>
    name === "echo" ? echoCall("x", "echo") : { id: name, name, args: {} },
  );
  const next = new ScriptedProvider([{ toolCalls }, { text: "seen" }]);
  const session = new Session({
    platform: memoryPlatform({ storage }),
    provider: next,
    tools,
    permissionMode: "bypassPermissions",
    permissions: { deny: ["forbidden"] },
    sessionId: "s",
    ...options,
  });
  const events: SessionEvent[] = [];
  session.subscribe((event) => void events.push(event));
  return { session, storage, events, next };
}

const resultsOf = (messages: readonly { role: string }[]): ToolMessage[] =>
  messages.filter((message): message is ToolMessage => message.role === "tool");

const shown = (messages: readonly ToolMessage[]): unknown[] =>
  messages.map(({ toolCallId, errorCode, content }) => [
    toolCallId,
    errorCode ?? contentText(content),
  ]);

const endsIn = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === "tool_end" ? [event.toolCallId] : []));

describe("calls of one answer", () => {
  it("are all answered in order when one fails and one is denied: the others continue", async () => {
    const failed = Promise.withResolvers<void>();
    const failing = createFunctionTool("fails", "Fails", { type: "object" }, () => {
      failed.resolve();
      return Promise.reject(new Error("broken"));
    });
    const late = createFunctionTool("late", "Ends last", { type: "object" }, async (_, context) => {
      await failed.promise;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return context.signal.aborted ? "stopped" : "late";
    });
    const { session, events, next } = batch([late, failing, forbidden, echo]);
    expect(await session.run("go")).toBe("seen");
    const expected = [
      ["late", "late"],
      ["fails", "tool_failed"],
      ["forbidden", "permission_denied"],
      ["echo", "said x"],
    ];
    expect(shown(resultsOf(next.requests[1]?.messages ?? []))).toEqual(expected);
    expect(endsIn(events)).toEqual(["late", "fails", "forbidden", "echo"]);
    await session.shutdown();
  });

  it("are all answered in order when one ends the turn, with one that hangs and one that ends late", async () => {
    const hanging = endless();
    const done = Promise.withResolvers<string>();
    const deaf = createFunctionTool("deaf", "Ends late", { type: "object" }, () => done.promise);
    const stops = createFunctionTool("stops", "Stops all", { type: "object" }, async () => {
      await hanging.began;
      // A program that stops the turn as soon as it sees this call's output.
      session.abort();
      return "stopped it";
    });
    const { session, storage, events } = batch([fails, hanging.tool, forbidden, deaf, stops, echo]);
    await expect(session.run("go")).rejects.toMatchObject({ name: "AbortError" });
    const order = ["fails", "endless", "forbidden", "deaf", "stops", "echo"];
    expect(endsIn(events)).toEqual(order);
    const results = resultsOf(session.getHistory());
    expect(shown(results).slice(0, 4)).toEqual([
      ["fails", "tool_failed"],
      ["endless", "aborted"],
      ["forbidden", "permission_denied"],
      ["deaf", "aborted"],
    ]);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(order);

    // A result after the answer changes nothing and causes no error.
    done.resolve("too late");
    expect(await session.run("and now?")).toBe("seen");
    expect(resultsOf(session.getHistory())).toEqual(results);
    await session.shutdown();
    const stored = await new SessionStore(storage).load("s");
    expect(shown(resultsOf(stored?.messages ?? []))).toEqual(shown(results));
  });
});
