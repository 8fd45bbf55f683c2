import type { HooksConfig } from "../../hooks/definition.ts";
import type { PermissionMode, RuleExamples, TrustLevel } from "../../permissions/permission.ts";
import type { SkillReference } from "../skills/skill-reference.ts";
import type { TrustState, WorkspaceTrust } from "./workspace-trust.ts";

/**
 * Settings of people and projects in files, and of a program for one session. Unknown keys in a file are kept and
 * reported.
 */
export interface Settings {
  /** Language of the agent's answers, such as `German` or `pt-BR`. */
  language?: string;
  /** A mode by a descriptive name: `safe` is `plan`, `moderate` is `default`, `full` is `acceptEdits`. */
  defaultTrustLevel?: TrustLevel;
  permissions?: {
    allow?: readonly string[];
    ask?: readonly string[];
    deny?: readonly string[];
    /** Calls that a rule must match and must not match, by rule. */
    examples?: Readonly<Record<string, RuleExamples>>;
    /** Takes precedence over `defaultTrustLevel`. */
    defaultMode?: PermissionMode;
  };
  /**
   * Lets read-only commands in the workspace run without a rule, as they do when omitted. `false` in any layer counts;
   * a project can set nothing else.
   */
  readOnlyCommands?: boolean;
  hooks?: HooksConfig;
  /** Private origins that http hooks may reach, such as `http://127.0.0.1:9000`. Never set by a project. */
  hookOrigins?: readonly string[];
  /** Tool rounds after which the final answer is requested; omitted or 0 for no limit. */
  maxTurns?: number;
  /** Share of the window above which a session compacts automatically, or `false`. */
  autoCompactThreshold?: number | false;
  /** The model to use, for programs that choose one. */
  provider?: ProviderSettings;
  /**
   * `replace`: agents of trusted projects keep their names and override others, with the person's before the built-in
   * ones. `prefix` when omitted: they are named `project:` and their name. Only a person's own settings can set it.
   */
  projectAgents?: "prefix" | "replace";
  /** Skills by address, each with the hash of its file. Those of all layers are in force. */
  skills?: readonly SkillReference[];
  /**
   * Levels of agents below a session: 1 when omitted, so that an agent starts none of its own; at most 3. Only a
   * person's own settings can set it.
   */
  agentDepth?: number;
  /** MCP servers by name, whose tools sessions have. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>;
  readonly [key: string]: unknown;
}

/** The provider of new sessions, as settings name it. */
export interface ProviderSettings {
  /** Name of the provider, such as `anthropic`. */
  name?: string;
  model?: string;
  apiKey?: string;
  baseURL?: string;
}

/** A server behind an address, or one that is a process. */
export interface McpServerSettings {
  /** Address of its Streamable HTTP endpoint. */
  url?: string;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** A program that speaks on its standard input and output, by its path or its name. Node only. */
  command?: string;
  args?: readonly string[];
  /** Variables for it, beside those that the host gives every command. */
  env?: Readonly<Record<string, string>>;
  /** A client that was registered with the server's authorization beforehand; otherwise one is registered as needed. */
  oauth?: { clientId?: string; clientSecret?: string; scope?: string };
  /** False for one that is not connected to. */
  enabled?: boolean;
  /** Milliseconds of one call without progress; 60,000 when omitted. */
  timeoutMs?: number;
  /** Lets the server ask the session's model, within the turn's budget. Only in a person's own settings. */
  sampling?: boolean;
  readonly [key: string]: unknown;
}

/** The owner of a layer's settings. */
export type SettingsScope = "invocation" | "project" | "user";

/** A problem with a setting, or a setting that is not in force. */
export interface SettingsWarning {
  /**
   * The layer: `invocation`, `environment` (variables such as `ROBOTA_LANGUAGE`), `host` (given by the platform), or the file's path as people write it, such as
   * `~/.robota/settings.json`.
   */
  layer: string;
  /** Path of the setting, such as `permissions.allow` or `mcpServers.github.url`; empty for the whole layer. */
  setting: string;
  message: string;
}

/** All layers merged. */
export interface ResolvedSettings {
  /** The values in force, including those from the environment. */
  readonly values: Settings;
  /** The layer that each value comes from, by setting, such as `language`, `provider.model` or `permissions.deny.0`. */
  readonly sources: Readonly<Record<string, string>>;
  readonly warnings: readonly SettingsWarning[];
  /** Reports whether the workspace's parts are in force. */
  readonly trust: TrustState;
}

export interface SettingsOptions {
  /** The invocation's own settings, which take precedence over all files. */
  settings?: Settings | undefined;
  /**
   * Decides whether the workspace's hooks, allowed calls, servers, agents and instructions are in force: asked when it
   * has some, and again after changes. Its restrictions always are. When omitted, they are in force only if they were
   * trusted before.
   */
  trustWorkspace?: WorkspaceTrust | undefined;
}
