import type {
  AgentApp,
  AgentConnection,
  AgentContext,
  InitializeResponse,
  McpServer,
  SessionModeState,
  Stream,
} from "@agentclientprotocol/sdk";
import { defined } from "../../defined.ts";
import { RobotaError } from "../../errors.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import { AcpSession } from "./acp-session.ts";
import type { AcpSessionRequest, AcpTransportOptions } from "./acp-transport.ts";
import { mcpServersOf } from "./mcp-servers.ts";
import { messageStream } from "./message-stream.ts";
import { promptContent } from "./prompt-content.ts";
import { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } from "./sdk.ts";

const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
  plan: "Plan",
  default: "Ask",
  acceptEdits: "Accept edits",
  bypassPermissions: "Bypass permissions",
};
const DEFAULT_MODES: readonly PermissionMode[] = ["plan", "default", "acceptEdits"];

/** A request for a session; with an id, for a stored one. */
interface SessionParams {
  cwd: string;
  additionalDirectories?: string[];
  mcpServers?: McpServer[];
  sessionId?: string;
}

/** The sessions that a connection has open, and the way to more of them. */
class AcpAgent {
  readonly #options: AcpTransportOptions;
  /** Sessions of the program that no client has taken yet. */
  readonly #attached: Map<string, InteractiveSession>;
  readonly #open = new Map<string, AcpSession>();
  /** Sessions that are not open yet, by id: a second request waits for the first one's. */
  readonly #entering = new Map<string, Promise<InteractiveSession>>();
  #isClosed = false;
  readonly #onError: (error: unknown) => void;

  constructor(
    options: AcpTransportOptions,
    attached: Map<string, InteractiveSession>,
    onError: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#attached = attached;
    this.#onError = onError;
  }

  app(): AgentApp {
    return agent({ name: "robota" })
      .onRequest("initialize", () => this.#initialize())
      .onRequest("session/new", ({ params, client }) => this.#start(params, client))
      .onRequest("session/load", async ({ params, client }) => {
        const opened = await this.#enter(params, client);
        await opened.follow({ replays: true });
        this.#announceCommands(opened);
        return { modes: this.#modesOf(opened.session) };
      })
      .onRequest("session/resume", async ({ params, client }) => {
        const opened = await this.#enter(params, client);
        await opened.follow({ replays: false });
        this.#announceCommands(opened);
        return { modes: this.#modesOf(opened.session) };
      })
      .onRequest("session/list", async ({ params }) => {
        if (!this.#options.list) throw RequestError.methodNotFound("session/list");
        return { sessions: await this.#options.list(params.cwd ?? undefined) };
      })
      .onRequest("session/prompt", async ({ params }) => {
        const session = this.#find(params.sessionId);
        return withFacts(async () => session.prompt(promptContent(params.prompt)));
      })
      .onRequest("session/set_mode", async ({ params }) => {
        const { session } = this.#find(params.sessionId);
        const { availableModes } = this.#modesOf(session);
        const mode = this.#modes(session).find((known) => known === params.modeId);
        if (mode === undefined) {
          const known = availableModes.map(({ id }) => id).join(", ");
          throw RequestError.invalidParams({}, `The mode is one of ${known}.`);
        }
        await withFacts(() => session.setPermissionMode(mode));
        return {};
      })
      .onRequest("session/close", async ({ params }) => {
        const opened = this.#find(params.sessionId);
        this.#open.delete(params.sessionId);
        opened.close();
        await opened.session.shutdown({ reason: "closed by the client" });
        return {};
      })
      .onNotification("session/cancel", ({ params }) =>
        this.#open.get(params.sessionId)?.session.abort(),
      );
  }

  /** Lets go of the sessions. Those that it opened itself are shut down. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = [...this.#open.values()];
    this.#open.clear();
    for (const { session } of opened) session.abort();
    await Promise.all(
      opened.map(async (one) => {
        one.close();
        if (!this.#attached.has(one.session.sessionId)) await one.session.shutdown();
      }),
    );
  }

  #initialize(): InitializeResponse {
    const { name = "robota", version = "0" } = this.#options.agentInfo ?? {};
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name, title: "Robota", version },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: this.#takesMcp, sse: false },
        sessionCapabilities: defined({ close: {}, resume: {}, list: this.#options.list && {} }),
      },
    };
  }

  get #takesMcp(): boolean {
    return this.#options.takesMcpServers ?? false;
  }

  async #start(params: SessionParams, client: AgentContext) {
    const opened = await this.#enter(params, client);
    await opened.follow({ replays: false });
    this.#announceCommands(opened);
    const { session } = opened;
    return { sessionId: session.sessionId, modes: this.#modesOf(session) };
  }

  async #enter(params: SessionParams, client: AgentContext): Promise<AcpSession> {
    const { cwd, additionalDirectories, mcpServers = [], sessionId: resumeSessionId } = params;
    if (mcpServers.length > 0 && !this.#takesMcp) {
      throw RequestError.invalidParams(
        { mcpServers: mcpServers.map(({ name }) => name) },
        "This agent takes no MCP servers from its client; configure them in the agent's own settings.",
      );
    }
    const servers = mcpServersOf(mcpServers);
    if ("unusable" in servers) throw RequestError.invalidParams({}, servers.unusable);
    const { byName } = servers;
    const request = { cwd, additionalDirectories, mcpServers: byName, resumeSessionId };
    return withFacts(() => this.#enterOnce(request, client));
  }

  async #enterOnce(request: AcpSessionRequest, client: AgentContext): Promise<AcpSession> {
    const { resumeSessionId } = request;
    const known = this.#known(resumeSessionId);
    const id = resumeSessionId ?? known?.sessionId;
    const entering =
      (id === undefined ? undefined : this.#entering.get(id)) ?? this.#ready(known, request);
    if (id !== undefined) this.#entering.set(id, entering);
    try {
      const session = await entering;
      const { sessionId } = session;
      this.#open.get(sessionId)?.close();
      const opened = new AcpSession(session, client, this.#onError);
      this.#open.set(sessionId, opened);
      return opened;
    } finally {
      if (id !== undefined && this.#entering.get(id) === entering) this.#entering.delete(id);
    }
  }

  /** A session that was opened for a request which can't have it is nobody's: it is shut down. */
  async #ready(
    known: InteractiveSession | undefined,
    request: AcpSessionRequest,
  ): Promise<InteractiveSession> {
    const session = known ?? (await this.#openAnother(request));
    try {
      await session.ready;
      if (this.#isClosed) throw RequestError.internalError({}, "The client has gone.");
      return session;
    } catch (error) {
      if (!known) await session.shutdown().catch(() => undefined);
      throw error;
    }
  }

  /** The session of this id that is here; without an id, an attached one that no client has taken. */
  #known(id: string | undefined): InteractiveSession | undefined {
    if (id !== undefined) return this.#open.get(id)?.session ?? this.#attached.get(id);
    return [...this.#attached.values()].find(
      ({ sessionId }) => !this.#open.has(sessionId) && !this.#entering.has(sessionId),
    );
  }

  async #openAnother(request: AcpSessionRequest): Promise<InteractiveSession> {
    const { resumeSessionId } = request;
    const { open } = this.#options;
    if (open) return open(request);
    if (resumeSessionId !== undefined) throw RequestError.sessionNotFound(resumeSessionId);
    throw RequestError.invalidParams({}, "This agent opens no further sessions.");
  }

  #find(sessionId: string): AcpSession {
    const found = this.#open.get(sessionId);
    if (found) return found;
    throw RequestError.sessionNotFound(sessionId);
  }

  #modes(session: InteractiveSession): readonly PermissionMode[] {
    const { permissionModes = DEFAULT_MODES } = this.#options;
    const present = session.getPermissionMode();
    return permissionModes.includes(present) ? permissionModes : [...permissionModes, present];
  }

  #modesOf(session: InteractiveSession): SessionModeState {
    return {
      currentModeId: session.getPermissionMode(),
      availableModes: this.#modes(session).map((id) => ({ id, name: MODE_NAMES[id] })),
    };
  }

  /** Sends the commands behind the answer that tells the client of the session. */
  #announceCommands(opened: AcpSession): void {
    setTimeout(() => {
      const send = async (): Promise<void> => {
        const commands = await opened.session.getCommands();
        const availableCommands = commands.map(({ name, description, argumentHint: hint }) => ({
          name,
          description,
          ...defined({ input: hint === undefined ? undefined : { hint } }),
        }));
        await opened.send({ sessionUpdate: "available_commands_update", availableCommands });
      };
      send().catch(this.#onError);
    });
  }
}

/** An agent on a stream. `closed` resolves when the client is gone and the sessions are let go of. */
export function connectAgent(
  options: AcpTransportOptions,
  attached: Map<string, InteractiveSession>,
): { close: () => Promise<void>; closed: Promise<void> } {
  const { onError = (error: unknown): void => console.error(error) } = options;
  const acp = new AcpAgent(options, attached, (error) => {
    // A client that has gone can't be sent anything; that is not a failure.
    if (!connection.signal.aborted) onError(error);
  });
  const connection: AgentConnection = acp.app().connect(streamOf(options));
  const closed = connection.closed.then(() => acp.close());
  return {
    closed,
    async close() {
      connection.close();
      await closed;
    },
  };
}

function streamOf({ stream, channel }: AcpTransportOptions): Stream {
  if (channel) return messageStream(channel);
  return ndJsonStream(stream.writable, stream.readable);
}

/** Tells the client the code and the hint of the session's own errors. */
async function withFacts<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RobotaError)) throw error;
    const facts = { code: error.code, hint: error.hint };
    throw error.category === "user"
      ? RequestError.invalidRequest(facts, error.message)
      : RequestError.internalError(facts, error.message);
  }
}
