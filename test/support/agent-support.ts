import {
  contentText,
  defineTool,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Message,
  type Platform,
  type Provider,
  type ProviderEvent,
  type Tool,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { CWD, type Files, hostWith, type Script } from "./settings-support.ts";

/** A word in the system message of a session's own model. */
export const MAIN = "works on a person's files";
/** A word in that of the agent for everything. */
export const WORKER = "one task for another agent";

/** Scripts for the models of a session and of its agents, which share one provider. */
export interface Cast {
  provider: Provider;
  /** Requests by sender: the system message, the model and the tools. */
  asked: { who: string; system: string; model: string | undefined; tools: string[] }[];
}

/** A provider that routes each request to the sender's script, recognised by a word in the system message. */
export function castOf(
  scripts: Record<string, ScriptedProvider>,
  model = "claude-sonnet-4-6",
): Cast {
  const asked: Cast["asked"] = [];
  const scriptFor = (messages: readonly Message[]): [string, ScriptedProvider, string] => {
    const system = contentText(messages.find(({ role }) => role === "system")?.content ?? "");
    const found = Object.entries(scripts).find(([word]) => system.includes(word));
    if (!found) throw new Error(`nobody is called by: ${system}`);
    return [...found, system];
  };
  const provider: Provider = {
    name: "cast",
    model,
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(messages, options): AsyncIterable<ProviderEvent> {
      const [who, script, system] = scriptFor(messages);
      const tools = (options?.tools ?? []).map(({ name }) => name);
      asked.push({ who, system, model: options?.model, tools });
      for await (const event of script.chatStream(messages, options))
        yield event.type === "message"
          ? { ...event, message: { ...event.message, model: options?.model ?? model } }
          : event;
    },
  };
  return { provider, asked };
}

/** The definition file of an agent. */
export function agentFile(fields: Record<string, unknown>, body = "You review."): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

export function agentCall(subagent_type: string | undefined, prompt: string, more: object = {}) {
  const type = subagent_type === undefined ? {} : { subagent_type };
  return { name: "Agent", args: { ...type, prompt, ...more } };
}

export interface Played {
  session: InteractiveSession;
  platform: Platform;
  provider: Provider;
  asked: Cast["asked"];
  players: Record<string, ScriptedProvider>;
}

/** A session whose model starts agents, and what the models of all of them were asked. */
export function played(
  scripts: Record<string, Script>,
  options: Partial<InteractiveSessionOptions> & { files?: Files; model?: string } = {},
): Played {
  const { files = {}, model, ...rest } = options;
  const platform = rest.platform ?? hostWith(files);
  const players = Object.fromEntries(
    Object.entries(scripts).map(([who, script]) => [who, new ScriptedProvider(script)]),
  );
  const { provider, asked } = castOf(players, model);
  const session = new InteractiveSession({ platform, cwd: CWD, provider, ...rest });
  return { session, platform, provider, asked, players };
}

/** The results of all calls, in order. */
export function results(session: InteractiveSession): string[] {
  return session
    .getMessages()
    .filter(({ role }) => role === "tool")
    .map(({ content }) => contentText(content));
}

/** The words of the session's own model's requests that a person or the session said. */
export function said(session: InteractiveSession): string[] {
  return session
    .getMessages()
    .filter(({ role }) => role === "user")
    .map(({ content }) => contentText(content));
}

/** A call that starts an agent in the background. */
export function backgroundCall(prompt: string, more: object = {}) {
  return agentCall(undefined, prompt, { run_in_background: true, ...more });
}

/** The id in the result of the call that started an agent in the background. */
export function startedId(result = ""): string {
  return /as ([0-9a-f-]{36})/.exec(result)?.[1] ?? "";
}

export interface Hold {
  tool: Tool;
  /** Resolves when so many calls wait. */
  waiting: (count: number) => Promise<void>;
  release: () => void;
  /** Most calls that waited at the same time. */
  most: () => number;
}

/** A tool whose calls wait until they are released, or stopped. */
export function hold(): Hold {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const watchers = new Set<() => void>();
  let now = 0;
  let most = 0;
  const tool = defineTool({
    name: "hold",
    description: "Waits",
    parameters: { type: "object" },
    access: "none",
    execute: async (_args, { signal }) => {
      now += 1;
      most = Math.max(most, now);
      for (const watcher of watchers) watcher();
      const stopped = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => stopped.reject(signal.reason), { once: true });
      try {
        await Promise.race([released, stopped.promise]);
      } finally {
        now -= 1;
      }
      return "released";
    },
  });
  const waiting = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (now >= count && resolve());
      watchers.add(look);
      look();
    });
  return { tool, waiting, release, most: () => most };
}

export const HOLD_CALL = { name: "hold", args: {} };

/** Resolves with the first event of this kind from now on. */
export function eventOf(
  session: InteractiveSession,
  type: string,
  fits: (event: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const stop = session.on("event", (event) => {
      if (event.type !== type || !fits({ ...event })) return;
      stop();
      resolve({ ...event });
    });
  });
}

/** The model's call for the report of the agent that was started last in the background. */
export function collecting(more: object = {}) {
  return ({ messages }: { messages: readonly Message[] }) => {
    const started = messages.findLast(({ content }) => startedId(contentText(content)) !== "");
    const agent_id = startedId(contentText(started?.content ?? ""));
    return { toolCalls: [{ name: "AgentOutput", args: { agent_id, ...more } }] };
  };
}

export async function agentsOf(session: Pick<InteractiveSession, "agents">) {
  return (await session.agents()).list();
}

export async function transcriptOf(session: InteractiveSession, id: string) {
  return (await session.agents()).transcript(id);
}

export async function stopAgent(session: InteractiveSession, id: string): Promise<boolean> {
  return (await session.agents()).stop(id);
}
