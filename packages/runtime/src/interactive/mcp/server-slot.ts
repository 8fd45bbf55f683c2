import { raceAbort, wait } from "../../abort.ts";
import type {
  CreateMessageRequest,
  CreateMessageResult,
  Prompt,
  Resource,
} from "@modelcontextprotocol/client";
import { defined } from "../../defined.ts";
import type { RobotaError } from "../../errors.ts";
import { CallTime } from "../../mcp/call-time.ts";
import { sift, type WithheldTool } from "../../mcp/offered-tools.ts";
import {
  endBehind,
  type ListKind,
  ServerConnection,
  type ServerHost,
} from "../../mcp/server-connection.ts";
import { requireServerName } from "../../mcp/server-name.ts";
import { type ServerTool, visible } from "../../mcp/server-tool.ts";
import { redact } from "../../messages/redact.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { BackOff } from "./back-off.ts";
import { KeptPins } from "./kept-pins.ts";
import type { McpServerState, McpServerStatus } from "./mcp-options.ts";
import { type AskedFor, elicit, sample } from "./person.ts";
import {
  type ConfiguredServer,
  type EndpointHost,
  endpointOf,
  type ServerEndpoint,
} from "./server-endpoint.ts";
import { connectionEnded, switchedOff, tooLong, withLastWords } from "./server-errors.ts";

const CALL_MS = 60_000;
/** The time for a person to authorize. */
const PERSON_MS = 600_000;
/** Characters of a process's last words, for its error. */
const LAST_WORDS = 300;

export interface SlotHost extends Omit<EndpointHost, "onErrorOutput" | "person"> {
  connectTimeoutMs: number;
  delegate: ConfigureContext["delegate"];
  /** Called with each change of state. */
  onState: (status: McpServerStatus) => void;
  /** Takes what a process writes on its standard error, without secrets. */
  onErrorOutput: (server: string, text: string) => void;
}

/** The lists of a server, as they were last read. */
export interface ServerLists {
  tools: readonly { tool: ServerTool; pin: string }[];
  withheld: readonly WithheldTool[];
  resources: readonly Resource[];
  prompts: readonly Prompt[];
}

const NOTHING: ServerLists = { tools: [], withheld: [], resources: [], prompts: [] };

/** A request under way. */
interface Running {
  context: ToolContext | undefined;
  time: CallTime;
  /** The connection that it was made on. */
  connection: ServerConnection | undefined;
}

/** One server of a session: connected when it is needed, and again after a failure. */
export class ServerSlot implements AsyncDisposable {
  readonly server: ConfiguredServer;
  readonly #host: SlotHost;
  readonly #backOff = new BackOff();
  readonly #running = new Set<Running>();
  readonly #changed = new Set<ListKind>();
  readonly #closing = new AbortController();
  readonly #ended = new WeakSet<ServerConnection>();
  #endpoint: ServerEndpoint | undefined;
  #pins: KeptPins | undefined;
  #connection: ServerConnection | undefined;
  #connecting: Promise<ServerConnection> | undefined;
  #state: McpServerState = "idle";
  #error: RobotaError | undefined;
  #lastWords = "";
  #isAskingPerson = false;
  lists: ServerLists = NOTHING;

  constructor(server: ConfiguredServer, host: SlotHost) {
    this.server = server;
    this.#host = host;
    if (server.options.enabled === false) this.#state = "disabled";
  }

  get name(): string {
    return this.server.name;
  }

  get state(): McpServerState {
    return this.#state;
  }

  /** The approved tools, once the server was connected to. */
  get pins(): KeptPins | undefined {
    return this.#pins;
  }

  get callTimeoutMs(): number {
    const { timeoutMs } = this.server.options;
    return typeof timeoutMs === "number" ? timeoutMs : CALL_MS;
  }

  /** True when an attempt to connect would be made now. */
  get isDue(): boolean {
    const isOpen = this.#connection !== undefined || this.#connecting !== undefined;
    return !isOpen && this.#state !== "disabled" && this.#backOff.remainingMs === 0;
  }

  status(): McpServerStatus {
    const { tools, withheld, prompts, resources } = this.lists;
    return {
      name: this.name,
      place: this.#endpoint?.place ?? placeOf(this.server, this.#host),
      layer: this.server.layer,
      state: this.#state,
      protocol: this.#connection?.protocol,
      tools: tools.map(({ tool }) => tool.name),
      prompts: prompts.map(({ name }) => name),
      resources: resources.length,
      notices: [
        ...withheld.map(({ name, problem = "" }) => visible(`${name} is not offered: ${problem}`)),
        ...tools
          .filter(({ tool, pin }) => (this.#pins?.get(tool.name)?.pin ?? pin) !== pin)
          .map(({ tool }) => `${tool.name} has changed since it was approved`),
      ],
      error: this.#error?.message,
    };
  }

  /** Connects unless it is connected, or waits for the attempt under way. @throws {RobotaError} the reason why not */
  connect(): Promise<ServerConnection> {
    if (this.#state === "disabled") return Promise.reject(switchedOff(this.name));
    if (this.#connection) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** Connects with a person's help. @throws {RobotaError} the reason why not */
  async authorize(): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    this.#isAskingPerson = true;
    try {
      const former = this.#connection;
      this.#connection = undefined;
      await former?.close();
      this.retryNow();
      await this.connect();
    } finally {
      this.#isAskingPerson = false;
    }
  }

  /** Forgets the pause after failures, for a person who asks. */
  retryNow(): void {
    this.#backOff.reset();
  }

  /**
   * Makes a request on the open connection, for which a short pause after a failure is waited out. `context`: the tool
   * call behind it, during which the server may have questions.
   */
  async during<Value>(
    { signal, context }: { signal: AbortSignal; context?: ToolContext | undefined },
    request: (connection: ServerConnection, time: CallTime) => Promise<Value>,
  ): Promise<Value> {
    using time = new CallTime(this.callTimeoutMs, signal);
    const running: Running = { context, time, connection: undefined };
    this.#running.add(running);
    const attempt = async (isLast: boolean): Promise<Value> => {
      const connection = (running.connection = await this.#ready(time));
      try {
        return await request(connection, time);
      } catch (error) {
        const end = signal.aborted || time.isOver ? undefined : await endBehind(error);
        if (end !== undefined) this.#lose(connection);
        if (end !== "forgotten" || isLast) throw error;
        return attempt(true);
      } finally {
        running.connection = undefined;
        await this.#closeUnused(connection);
      }
    };
    try {
      return await attempt(false);
    } catch (error) {
      if (time.isOver) throw tooLong(this.name, this.callTimeoutMs);
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Reads the lists again that the server has said are others now. */
  async refresh(): Promise<void> {
    const connection = this.#connection;
    if (!connection || this.#changed.size === 0) return;
    using time = new CallTime(this.#host.connectTimeoutMs, this.#closing.signal);
    const kinds = new Set(this.#changed);
    this.#changed.clear();
    try {
      await this.#read(connection, kinds, time);
    } catch {
      // The lists stay as they were until it says so again, or is connected to again.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.close();
  }

  async #ready(time: CallTime): Promise<ServerConnection> {
    const pauseMs = this.#connection || this.#connecting ? 0 : this.#backOff.remainingMs;
    if (pauseMs > this.callTimeoutMs / 2) throw this.#error ?? tooLong(this.name, pauseMs);
    // Only an abort ends the wait early; the signal has its reason.
    if (pauseMs > 0) await wait(pauseMs, time.signal).catch(() => time.signal.throwIfAborted());
    return raceAbort(this.connect(), time.signal);
  }

  async #connect(): Promise<ServerConnection> {
    const limitMs = this.#isAskingPerson ? PERSON_MS : this.#host.connectTimeoutMs;
    using time = new CallTime(limitMs, this.#closing.signal);
    this.#lastWords = "";
    this.#setState("connecting");
    let connection: ServerConnection | undefined;
    try {
      requireServerName(this.name);
      const { platform } = this.#host;
      const endpoint = (this.#endpoint ??= endpointOf(this.server, {
        ...this.#host,
        person: () => (this.#isAskingPerson ? { signal: this.#closing.signal } : undefined),
        onErrorOutput: (text) => this.#takeErrorOutput(text),
      }));
      this.#pins ??= await KeptPins.load(platform.storage, endpoint.identity);
      const { open, hint } = endpoint;
      const host = this.#serverHost(() => connection);
      connection = await ServerConnection.open({ name: this.name, open, time, hint, host });
      await this.#read(connection, new Set(["tools", "resources", "prompts"]), time);
      // The server may have gone while it was asked for its lists, some of which it need not have.
      if (this.#closing.signal.aborted || this.#ended.has(connection))
        throw connectionEnded(this.name);
      this.#connection = connection;
      this.#error = undefined;
      this.#backOff.connected();
      this.#setState("connected");
      return connection;
    } catch (error) {
      await connection?.close().catch(() => undefined);
      this.#backOff.failed();
      this.#error = withLastWords(error, this.#lastWords);
      this.#setState(this.#error.code === "MCP_AUTHORIZATION" ? "unauthorized" : "failed");
      throw this.#error;
    }
  }

  async #sample(params: CreateMessageRequest["params"]): Promise<CreateMessageResult> {
    const call = this.#latest();
    if (!call) throw new Error("No call of this server is under way");
    return call.time.during(sample(call.asked, params));
  }

  #serverHost(own: () => ServerConnection | undefined): ServerHost {
    const { isOwn, options } = this.server;
    return {
      elicit: async (params) => {
        const call = this.#latest();
        return call ? call.time.during(elicit(call.asked, params)) : { action: "decline" };
      },
      // A project and a bundle can't have the person's model and budget for their servers.
      sample: isOwn && options.sampling === true ? (params) => this.#sample(params) : undefined,
      onChanged: (kind) => this.#changed.add(kind),
      onClosed: () => {
        const connection = own();
        if (connection) this.#ended.add(connection);
        this.#lose(connection);
      },
    };
  }

  /** Leaves the connection, which has ended, so that the next request connects again. */
  #lose(connection: ServerConnection | undefined): void {
    if (connection === undefined || this.#connection !== connection) return;
    this.#connection = undefined;
    if (this.#closing.signal.aborted) return;
    this.#backOff.lost();
    this.#error = withLastWords(connectionEnded(this.name), this.#lastWords);
    this.#setState("failed");
  }

  /** Closes a connection that was left, once no request on it may still be answered. */
  async #closeUnused(connection: ServerConnection): Promise<void> {
    const isUsed = [...this.#running].some((one) => one.connection === connection);
    if (this.#connection !== connection && !isUsed) await connection.close().catch(() => undefined);
  }

  /** The call that began last: a question of a server names none. */
  #latest(): { asked: AskedFor; time: CallTime } | undefined {
    const { context, time } = [...this.#running].findLast((one) => one.context) ?? {};
    const { delegate } = this.#host;
    return context && time && { time, asked: { server: this.name, context, delegate } };
  }

  async #read(
    connection: ServerConnection,
    kinds: ReadonlySet<ListKind>,
    time: CallTime,
  ): Promise<void> {
    // A capability that a server announces and then fails to list is missing, and nothing else.
    const optional = <Item>(list: Promise<Item[]>): Promise<Item[]> =>
      list.catch((error: unknown) => {
        if (time.signal.aborted) throw error;
        return [];
      });
    const [tools, resources, prompts] = await Promise.all([
      kinds.has("tools")
        ? connection.listTools(time).then((all) => sift(all, undefined))
        : undefined,
      kinds.has("resources") ? optional(connection.listResources(time)) : undefined,
      kinds.has("prompts") ? optional(connection.listPrompts(time)) : undefined,
    ]);
    this.lists = {
      ...this.lists,
      ...defined({ tools: tools?.offered, withheld: tools?.withheld, resources, prompts }),
    };
  }

  #takeErrorOutput(text: string): void {
    const clean = redact(visible(text));
    this.#lastWords = `${this.#lastWords}${clean}`.slice(-LAST_WORDS);
    this.#host.onErrorOutput(this.name, clean);
  }

  #setState(state: McpServerState): void {
    this.#state = state;
    if (state !== "connecting" && !this.#closing.signal.aborted) this.#host.onState(this.status());
  }
}

function placeOf(server: ConfiguredServer, host: SlotHost): string {
  try {
    const deaf = { onErrorOutput: () => undefined, person: () => undefined };
    return endpointOf(server, { ...host, ...deaf }).place;
  } catch {
    return "";
  }
}
