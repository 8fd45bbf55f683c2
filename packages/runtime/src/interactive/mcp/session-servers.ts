import { defined } from "../../defined.ts";
import { callSafely, isAbortError } from "../../errors.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import { raceAbort } from "../../abort.ts";
import type { Platform } from "../../ports/platform.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import type { SessionLogger } from "../../session/trace/logger.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Command } from "../commands/command.ts";
import type { McpServerStatus, McpSessionOptions } from "./mcp-options.ts";
import { mentionHooks } from "./mentions.ts";
import { promptCommands } from "./prompt-commands.ts";
import { resourceTools } from "./resource-tools.ts";
import type { ConfiguredServer } from "./server-endpoint.ts";
import { ServerSlot } from "./server-slot.ts";
import { toolsOf } from "./server-tools.ts";

const WAIT_MS = 5_000;
const CONNECT_MS = 30_000;
const STATE_KEY = "mcpServers";

export interface SessionServersOptions {
  platform: Platform;
  cwd: string;
  context: Pick<ConfigureContext, "delegate" | "host">;
  options: McpSessionOptions;
  logger: SessionLogger | undefined;
  /** The servers now configured and in force. */
  configured: () => readonly ConfiguredServer[];
}

/** The MCP servers of a session: connected when a turn or a person needs them, and never in a turn's way. */
export class SessionServers implements AsyncDisposable {
  /** The hooks that read the resources which prompts mention. */
  readonly hooks: HooksConfig;
  readonly #given: SessionServersOptions;
  readonly #slots = new Map<string, ServerSlot>();
  /** Names of the tools that were put among the session's. */
  #offered: ReadonlySet<string> = new Set();
  /** The same as last recorded, since the session was opened. */
  #recorded = "";
  /** Servers that a turn has waited for once. */
  readonly #awaited = new WeakSet<ServerSlot>();
  readonly #closing = new AbortController();

  constructor(given: SessionServersOptions) {
    this.#given = given;
    this.hooks = mentionHooks(() => this.#all, given.platform);
    // Closed with the session.
    given.context.host.toolState.set(STATE_KEY, this);
    this.#sync();
  }

  get #all(): ServerSlot[] {
    return [...this.#slots.values()];
  }

  /**
   * Puts the tools of the servers among the session's, before the first round of a turn and between rounds. Waits only for
   * servers that no turn has waited for yet, and no longer than `waitMs`.
   */
  async prepareRound(signal: AbortSignal): Promise<void> {
    this.#sync();
    const due = this.#all.filter(({ isDue }) => isDue);
    const first = this.#all.filter((slot) => !this.#awaited.has(slot));
    for (const slot of due) slot.connect().catch(() => undefined);
    for (const slot of first) this.#awaited.add(slot);
    const waiting = first.filter(({ state }) => state === "connecting");
    const work = Promise.allSettled([
      ...waiting.map(async (slot) => slot.connect()),
      ...this.#all.map(async (slot) => slot.refresh()),
    ]);
    await this.#noLongerThan(work, signal);
    this.#offer();
    this.#record(signal);
  }

  /** Connects to all servers, also to those that wait after a failure; waits for the attempts, but not for slow ones. */
  async connectAll(): Promise<void> {
    this.#sync();
    const all = this.#all.filter(({ state }) => state !== "disabled");
    for (const slot of all) slot.retryNow();
    const attempts = all.map(async (slot) => {
      await slot.connect();
      await slot.refresh();
    });
    await this.#noLongerThan(Promise.allSettled(attempts), this.#closing.signal);
    this.#offer();
  }

  async authorize(name: string): Promise<void> {
    this.#sync();
    const slot = this.#slots.get(name);
    if (!slot) throw new Error(`There is no MCP server ${name}.`);
    await slot.authorize();
    this.#offer();
  }

  status(): McpServerStatus[] {
    this.#sync();
    return this.#all.map((slot) => slot.status());
  }

  /** The prompts of servers that are connected, or were before. */
  commands(): Command[] {
    return promptCommands(this.#all, this.#closing.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#all.map((slot) => slot[Symbol.asyncDispose]()));
  }

  /** Follows the settings: servers come and go, and one that changed is another one. */
  #sync(): void {
    const { configured, platform, cwd, context, options, logger } = this.#given;
    const wanted = new Map(configured().map((server) => [server.name, server]));
    for (const [name, slot] of this.#slots) {
      const now = wanted.get(name);
      if (now && isSame(now, slot.server)) continue;
      this.#slots.delete(name);
      slot[Symbol.asyncDispose]().catch(() => undefined);
    }
    const { host, delegate } = context;
    for (const [name, server] of wanted) {
      if (this.#slots.has(name)) continue;
      const slot = new ServerSlot(server, {
        platform,
        cwd,
        delegate,
        authorization: options.authorization,
        connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_MS,
        onState: (status) => {
          const { state, error } = status;
          const data = defined({ server: name, state, error });
          callSafely(() =>
            host.log.stream({ type: "note", kind: "mcp-server", data }, { transient: true }),
          );
        },
        onErrorOutput: (of, text) => {
          const log = async () => logger?.log(host.sessionId, "mcp_stderr", { server: of, text });
          // A failing logger does not fail the session.
          log().catch(() => undefined);
        },
      });
      this.#slots.set(name, slot);
    }
  }

  #offer(): void {
    const { tools } = this.#given.context.host;
    const { delegate } = this.#given.context;
    const found = this.#all.flatMap((slot) => toolsOf(slot, delegate, () => this.#offer()));
    const all: Tool[] = [...found, ...resourceTools(() => this.#all)];
    const offered = new Set<string>();
    for (const tool of all) {
      // A program's own tool of the name stays.
      if (tools.has(tool.name) && !this.#offered.has(tool.name)) continue;
      tools.set(tool.name, tool);
      offered.add(tool.name);
    }
    for (const name of this.#offered) if (!offered.has(name)) tools.delete(name);
    this.#offered = offered;
  }

  /** Puts on record which tools there are from now on, so that the session can be replayed without the servers. */
  #record(signal: AbortSignal): void {
    const { host } = this.#given.context;
    const offered = [...this.#offered].join(" ");
    if (offered === this.#recorded || signal.aborted) return;
    this.#recorded = offered;
    const data = { tools: [...host.tools.keys()] };
    host.log.stream({ type: "note", kind: "tools-changed", data });
  }

  async #noLongerThan(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { waitMs = WAIT_MS } = this.#given.options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)));
    try {
      await raceAbort(Promise.race([work, passed]), signal);
    } catch (error) {
      // The turn ends by itself.
      if (!signal.aborted && !isAbortError(error)) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function isSame(one: ConfiguredServer, other: ConfiguredServer): boolean {
  if (one.layer !== other.layer || one.isOwn !== other.isOwn) return false;
  return (
    one.options === other.options || JSON.stringify(one.options) === JSON.stringify(other.options)
  );
}
