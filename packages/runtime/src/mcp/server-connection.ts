import { raceAbort } from "../abort.ts";
import type {
  Client,
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  Prompt,
  Resource,
  Transport,
} from "@modelcontextprotocol/client";
import { errorMessage, RobotaError } from "../errors.ts";
import { type CallTime, NO_LIMIT_MS } from "./call-time.ts";
import type { OpenTransport } from "./endpoint.ts";
import { listTools } from "./list-tools.ts";
import { inputOf, type ServerResult, type ServerTool } from "./server-tool.ts";

export type ListKind = "tools" | "resources" | "prompts";

/** The client's part for a server: what it asks for, and what it hears. A part left out is not offered to the server. */
export interface ServerHost {
  /** Answers a server's question to a person. */
  elicit?: ((params: ElicitRequestParams) => Promise<ElicitResult>) | undefined;
  /** Answers a server's question to the model. */
  sample?: ((params: CreateMessageRequestParams) => Promise<CreateMessageResult>) | undefined;
  /** Called when a list of the server is no longer the one that was read. */
  onChanged?: ((kind: ListKind) => void) | undefined;
  /** Called when the connection has ended, in any way. */
  onClosed?: (() => void) | undefined;
}

export interface ConnectServerOptions {
  /** Name of the server, for errors. */
  name: string;
  open: OpenTransport;
  /** The time to connect, for which a person that is asked meanwhile does not count. */
  time: CallTime;
  host?: ServerHost | undefined;
  /** A sentence about what to look at when there is no connection. */
  hint: string;
}

export interface CallOptions {
  time: CallTime;
  onProgress?: ((text: string) => void) | undefined;
}

/** An open connection to one server, in the newest protocol that both sides speak. */
export class ServerConnection {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** @throws {RobotaError} `MCP_CONNECT` */
  static async open(options: ConnectServerOptions): Promise<ServerConnection> {
    try {
      return new ServerConnection(await connect(options));
    } catch (cause) {
      const known = knownCause(cause);
      if (known) throw known;
      const { name, hint, time } = options;
      const reason = time.isOver ? "it took too long" : errorMessage(cause);
      throw new RobotaError(`The MCP server ${name} did not answer: ${reason}`, {
        code: "MCP_CONNECT",
        category: "system",
        recoverable: true,
        cause,
        hint,
      });
    }
  }

  /** The protocol's date, such as `2026-07-28`. */
  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? "";
  }

  has(kind: ListKind): boolean {
    return this.#client.getServerCapabilities()?.[kind] !== undefined;
  }

  /** All tools, with all fields. */
  async listTools(time: CallTime): Promise<ServerTool[]> {
    if (!this.has("tools")) return [];
    const tools = await listTools(this.#client, requestOptions(time));
    const isModern = this.#client.getProtocolEra() === "modern";
    if (!isModern || !JSON.stringify(tools).includes('"x-mcp-header"')) return tools;
    // The client knows which declarations of headers are sound; tools with others must not be offered.
    const sound = await this.#client.listTools(undefined, requestOptions(time));
    const names = new Set(sound.tools.map(({ name }) => name));
    return tools.filter(({ name }) => names.has(name));
  }

  async callTool(
    tool: ServerTool,
    args: Record<string, unknown>,
    { time, onProgress }: CallOptions,
  ): Promise<ServerResult> {
    return this.#client.callTool(
      { name: tool.name, arguments: args },
      {
        ...requestOptions(time),
        onprogress: ({ progress, total, message }) => {
          time.restart();
          onProgress?.(progressText(progress, total, message));
        },
        // Without `outputSchema`: the client would check it by patterns that take exponential time.
        toolDefinition: { name: tool.name, inputSchema: inputOf(tool) },
      },
    );
  }

  async listResources(time: CallTime): Promise<Resource[]> {
    if (!this.has("resources")) return [];
    return (await this.#client.listResources(undefined, requestOptions(time))).resources;
  }

  /** The contents of a resource, as a server gives them. */
  async readResource(uri: string, time: CallTime): Promise<ServerResult> {
    const { contents } = await this.#client.readResource({ uri }, requestOptions(time));
    return { content: contents.map((resource) => ({ type: "resource", resource })) };
  }

  async listPrompts(time: CallTime): Promise<Prompt[]> {
    if (!this.has("prompts")) return [];
    return (await this.#client.listPrompts(undefined, requestOptions(time))).prompts;
  }

  async getPrompt(
    name: string,
    args: Record<string, string>,
    time: CallTime,
  ): Promise<{ role: string; content: { type: string } & Record<string, unknown> }[]> {
    const got = await this.#client.getPrompt({ name, arguments: args }, requestOptions(time));
    return got.messages.map(({ role, content }) => ({ role, content: { ...content } }));
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/**
 * How the connection ended by which a request failed. `forgotten`: the server has no such session any more, so that it
 * did not take the request. `unreachable`: it may have taken it. `undefined`: the server answered.
 */
export async function endBehind(error: unknown): Promise<"forgotten" | "unreachable" | undefined> {
  if (knownCause(error)) return undefined;
  const { ProtocolError, SdkError, SdkHttpError } = await import("./sdk.ts");
  if (SdkHttpError.isInstance(error)) return error.status === 404 ? "forgotten" : undefined;
  const isAnswer = ProtocolError.isInstance(error) || SdkError.isInstance(error);
  return isAnswer ? undefined : "unreachable";
}

/** The error behind those of the client, when this package threw it. */
function knownCause(error: unknown): RobotaError | undefined {
  let next = error;
  for (let depth = 0; depth < 5 && next instanceof Error; depth += 1) {
    if (next instanceof RobotaError) return next;
    next = next.cause;
  }
  return undefined;
}

function requestOptions(time: CallTime): { signal: AbortSignal; timeout: number } {
  return { signal: time.signal, timeout: NO_LIMIT_MS };
}

async function connect(options: ConnectServerOptions): Promise<Client> {
  const { time } = options;
  const transport = await opened(options);
  try {
    return await attempt(transport, options, {});
  } catch (error) {
    const { SdkError, SdkErrorCode } = await import("./sdk.ts");
    const isUnheard =
      SdkError.isInstance(error) && error.code === SdkErrorCode.EraNegotiationFailed;
    if (!isUnheard || !("pid" in transport) || time.signal.aborted) throw error;
    // Some processes that speak the older protocol end at the first word that they don't know.
    return attempt(await opened(options), options, { prior: { kind: "legacy" } });
  }
}

/** A transport that is there in time. One that is late is closed: nobody else has it. */
async function opened({ open, time }: ConnectServerOptions): Promise<Transport> {
  const opening = open();
  try {
    return await raceAbort(opening, time.signal);
  } catch (error) {
    opening.then((late) => late.close()).catch(() => undefined);
    throw error;
  }
}

async function attempt(
  transport: Transport,
  { time, host = {} }: ConnectServerOptions,
  how: { prior?: { kind: "legacy" } },
): Promise<Client> {
  const { Client } = await import("./sdk.ts");
  const changed = (
    kind: ListKind,
  ): { autoRefresh: false; debounceMs: 0; onChanged: () => void } => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => host.onChanged?.(kind),
  });
  const client = new Client(
    { name: "robota", version: "0.1.0" },
    {
      capabilities: capabilitiesOf(host),
      versionNegotiation: { mode: "auto" },
      listChanged: {
        tools: changed("tools"),
        resources: changed("resources"),
        prompts: changed("prompts"),
      },
    },
  );
  const { elicit, sample } = host;
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  if (sample) client.setRequestHandler("sampling/createMessage", ({ params }) => sample(params));
  client.onclose = () => host.onClosed?.();
  try {
    await raceAbort(client.connect(transport, { ...requestOptions(time), ...how }), time.signal);
    return client;
  } catch (error) {
    delete client.onclose;
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw error;
  }
}

function capabilitiesOf({ elicit, sample }: ServerHost): ClientCapabilities {
  return {
    elicitation: elicit && { form: { applyDefaults: true }, url: {} },
    sampling: sample && {},
  };
}

function progressText(progress: number, total: number | undefined, message = ""): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return `${count}${message === "" ? "" : ` ${message}`}\n`;
}
