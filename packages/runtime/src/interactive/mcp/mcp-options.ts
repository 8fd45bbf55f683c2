import type { McpAuthorization } from "../../mcp/authorization-options.ts";
import type { McpServerObject } from "../../mcp/server-object.ts";
import type { McpServerSettings } from "../settings/settings.ts";

export type { McpServerObject } from "../../mcp/server-object.ts";

/** A server of this program, as an option of a session. */
export interface McpServerInProcess {
  /**
   * The server, such as an `McpServer` of `@modelcontextprotocol/server`, which serves one connection; or a function that
   * makes one for each.
   */
  server: McpServerObject | (() => McpServerObject | Promise<McpServerObject>);
  /** False for one that is not connected to. */
  enabled?: boolean | undefined;
  /** Lets the server ask the session's model; false when omitted. */
  sampling?: boolean | undefined;
  /** Milliseconds of one call without progress; 60,000 when omitted. */
  timeoutMs?: number | undefined;
}

/** A server that a program gives a session: as in settings, or in the same program. */
export type McpServerOption = McpServerSettings | McpServerInProcess;

/** How a session uses its MCP servers. */
export interface McpSessionOptions {
  /** Milliseconds that the first turn waits for the tools of servers; 5000 when omitted. Later ones come between rounds. */
  waitMs?: number | undefined;
  /** Milliseconds to connect to a server; 30,000 when omitted. */
  connectTimeoutMs?: number | undefined;
  /** A person's part in OAuth, for servers that want it; started by `/mcp authorize <server>` alone. */
  authorization?: McpAuthorization | undefined;
}

/** `idle`: nobody has needed it yet. `unauthorized`: it waits for `/mcp authorize`. `failed`: the next attempt is made when it is needed, after a growing pause. */
export type McpServerState =
  | "idle"
  | "connecting"
  | "connected"
  | "failed"
  | "unauthorized"
  | "disabled";

/** A server of a session, for people. */
export interface McpServerStatus {
  name: string;
  /** Host of its address, name of its program, or `in-process`. Addresses and headers may hold keys. */
  place: string;
  /** The layer of settings that it comes from; `option` for a program's own. */
  layer: string;
  state: McpServerState;
  /** The date of the protocol in use. */
  protocol?: string | undefined;
  tools: readonly string[];
  prompts: readonly string[];
  /** Number of resources. */
  resources: number;
  /** Tools that are not offered, or not as they are now, each with the reason. */
  notices: readonly string[];
  /** Why it failed. */
  error?: string | undefined;
}

/** The MCP servers of a session, for commands. */
export interface McpServers {
  status(): readonly McpServerStatus[];
  /** Connects to all of them, and waits for the attempts, but not for slow ones. */
  connectAll(): Promise<void>;
  /** Authorizes this program at a server, with a person's help. @throws {RobotaError} the reason why not */
  authorize(name: string): Promise<void>;
}
