import {
  createFunctionTool,
  type Message,
  type Provider,
  type Storage,
  type Tool,
} from "@robota/runtime";
import { MemoryStorage } from "@robota/runtime/virtual";

export const echo = createFunctionTool(
  "echo",
  "Says it again",
  { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  async ({ text }) => `said ${String(text)}`,
);

export function echoCall(
  text: string,
  id = text,
): { id: string; name: string; args: { text: string } } {
  return { id, name: "echo", args: { text } };
}

/** A tool that ends only when the turn is stopped, and reports its start. */
export function endless(): { tool: Tool; began: Promise<void>; runs: () => number } {
  let begin: () => void = () => {};
  let runs = 0;
  const began = new Promise<void>((resolve) => (begin = resolve));
  const tool = createFunctionTool("endless", "Waits", { type: "object" }, (_args, { signal }) => {
    runs += 1;
    begin();
    return new Promise<string>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  });
  return { tool, began, runs: () => runs };
}

/** A provider that streams these words, then hangs and ignores an abort. */
export function stuckProvider(...words: string[]): Provider {
  return {
    name: "stuck",
    model: "stuck-1",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream() {
      for (const delta of words) yield { type: "text_delta", delta };
      await new Promise(() => {});
    },
  };
}

/** The view of another page or process after a crash: everything durable, and no lease. */
export async function afterCrash(storage: Storage, sessionId: string): Promise<Storage> {
  const found = new MemoryStorage();
  const log = `sessions/${sessionId}`;
  for await (const { value } of storage.read(log)) await found.append(log, [value]);
  return found;
}

export async function logText(storage: Storage, sessionId: string): Promise<string> {
  let text = "";
  for await (const { value } of storage.read(`sessions/${sessionId}`))
    text += `${new TextDecoder().decode(value)}\n`;
  return text;
}

export function roles(messages: readonly Message[]): string[] {
  return messages.map(({ role }) => role);
}

/** Resolves when `condition` holds; a test in which it never does fails by its time limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Keeps errors that are meant to surface as uncaught from failing the test run. */
export function catchUncaught(): { stop(): void } {
  const listener = (event: Event): void => event.preventDefault();
  const node = (
    globalThis as {
      process?: { on?(name: string, f: () => void): void; off?(name: string, f: () => void): void };
    }
  ).process;
  const ignore = (): void => {};
  if (node?.on) node.on("uncaughtException", ignore);
  else globalThis.addEventListener("error", listener);
  return {
    stop() {
      setTimeout(() => {
        if (node?.off) node.off("uncaughtException", ignore);
        else globalThis.removeEventListener("error", listener);
      }, 0);
    },
  };
}
