import { browserPlatform } from "@robota/adapters-web";
import { contentText, InteractiveSession, type Provider, type SessionEvent } from "@robota/runtime";
import { type ScriptedReply, ScriptedProvider } from "@robota/runtime/testing";

/** A session in this tab with one MCP server, for a test that drives it. */
export interface TabSession {
  open: (url: string) => Promise<void>;
  /** Runs a turn in which the model answers by this script. Resolves to the results that it was given. */
  turn: (prompt: string, script: ScriptedReply[]) => Promise<string[]>;
  command: (name: string, args?: string) => Promise<{ message: string; data: unknown }>;
  /** The last request to the model, as JSON. */
  request: () => string;
  toolNames: () => string[];
  outputs: () => string[];
  /** The tools whose calls were asked about. */
  asked: () => string[];
  abort: () => void;
  close: () => Promise<void>;
}

declare global {
  var mcpTab: TabSession;
}

let scripted = new ScriptedProvider([]);
const provider: Provider = {
  name: "scripted",
  model: "scripted",
  chat: (messages, options) => scripted.chat(messages, options),
  chatStream: (messages, options) => scripted.chatStream(messages, options),
};
let session: InteractiveSession;
let events: SessionEvent[];
let asked: string[];
const platform = browserPlatform({ workspace: "mcp" });

globalThis.mcpTab = {
  async open(url) {
    [events, asked] = [[], []];
    session = new InteractiveSession({
      platform,
      provider,
      cwd: "/workspace",
      trackFiles: false,
      mcpServers: { weather: { url } },
      permissionHandler(tool, args) {
        asked.push(tool);
        const form =
          args["fields"] === undefined ? {} : { updatedArgs: { answer: { name: "Ada" } } };
        return { allow: true, ...form };
      },
    });
    session.on("event", (event) => events.push(event));
    await session.ready;
  },
  async turn(prompt, script) {
    scripted = new ScriptedProvider([...script, { text: "done" }]);
    await session.submit(prompt);
    const messages = scripted.requests.at(-1)?.messages ?? [];
    return messages
      .slice(messages.findLastIndex(({ role }) => role === "user"))
      .flatMap(({ role, content }) => (role === "tool" ? [contentText(content)] : []));
  },
  async command(name, args) {
    scripted = new ScriptedProvider([{ text: "done" }]);
    const { message = "", data } = (await session.executeCommand(name, args)) ?? {};
    return { message, data };
  },
  request: () => JSON.stringify(scripted.requests.at(-1)?.messages),
  toolNames: () => (scripted.requests.at(-1)?.options?.tools ?? []).map(({ name }) => name),
  outputs: () => events.flatMap((event) => (event.type === "tool_output" ? [event.text] : [])),
  asked: () => asked,
  abort: () => session.abort(),
  close: () => session.shutdown(),
};
