import {
  client,
  type ClientContext,
  type ContentBlock,
  ndJsonStream,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { InteractiveSession, type Platform, type Tool } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { acpTransport, type AcpTransportOptions } from "@robota/runtime/transports";
import { withHost } from "#host";
import { echoCall } from "../support.ts";

export type Script = ConstructorParameters<typeof ScriptedProvider>[0];

export interface Editor {
  agent: ClientContext;
  cwd: string;
  updates: SessionUpdate[];
  /** Questions so far. */
  asked: RequestPermissionRequest[];
  platform: Platform;
  errors: unknown[];
}

interface Options {
  script: Script;
  tools?: readonly Tool[];
  /** The option that the person chooses, each time; `cancelled` to dismiss the question. */
  choice?: string | ((question: RequestPermissionRequest) => Promise<string>);
  more?: Partial<AcpTransportOptions>;
  /** Called with each session that is opened. */
  watch?: (session: InteractiveSession) => void;
}

/** An editor of the SDK's own client and an agent, over a pair of byte streams on this host. */
export function withEditor(
  options: Options,
  run: (editor: Editor) => Promise<void>,
): Promise<void> {
  const { script, tools = [], choice = "once", more, watch } = options;
  return withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider(script);
    const toAgent = new TransformStream<Uint8Array, Uint8Array>();
    const toClient = new TransformStream<Uint8Array, Uint8Array>();
    const errors: unknown[] = [];
    const transport = acpTransport({
      stream: { readable: toAgent.readable, writable: toClient.writable },
      async open({ cwd: place, resumeSessionId }) {
        const options = { platform, provider, cwd: place, tools, resumeSessionId };
        const session = new InteractiveSession(options);
        watch?.(session);
        return session;
      },
      onError: (error) => errors.push(error),
      ...more,
    } as AcpTransportOptions);
    await transport.start();
    const updates: SessionUpdate[] = [];
    const asked: RequestPermissionRequest[] = [];
    const app = client({ name: "editor" })
      .onNotification("session/update", ({ params }: { params: SessionNotification }) => {
        updates.push(params.update);
      })
      .onRequest("session/request_permission", async ({ params }) => {
        asked.push(params);
        const optionId = typeof choice === "string" ? choice : await choice(params);
        if (optionId === "cancelled") return { outcome: { outcome: "cancelled" as const } };
        return { outcome: { outcome: "selected" as const, optionId } };
      });
    await app.connectWith(ndJsonStream(toAgent.writable, toClient.readable), async (agent) => {
      await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      await run({ agent, cwd, updates, asked, platform, errors });
    });
    await transport.stop();
  });
}

/** Sends a prompt; a text stands for one block. */
export function say(
  agent: ClientContext,
  sessionId: string,
  prompt: string | ContentBlock[],
): Promise<PromptResponse> {
  const blocks = typeof prompt === "string" ? text(prompt) : prompt;
  const params: PromptRequest = { sessionId, prompt: blocks };
  return agent.request("session/prompt", params);
}

export const text = (words: string) => [{ type: "text" as const, text: words }];

export async function newSession({ agent, cwd }: Editor): Promise<string> {
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  return sessionId;
}

export function wordsOf(
  updates: readonly SessionUpdate[],
  kind: SessionUpdate["sessionUpdate"],
): string {
  return updates
    .map((update) =>
      update.sessionUpdate === kind &&
      "content" in update &&
      update.content &&
      "text" in update.content
        ? String(update.content.text)
        : "",
    )
    .join("");
}

export const echoes = (count: number): Script => [
  ...Array.from({ length: count }, () => ({ toolCalls: [echoCall("hi")] })),
  { text: "Said." },
];
