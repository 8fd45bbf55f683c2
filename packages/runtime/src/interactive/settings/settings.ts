import type { HooksConfig } from "../../hooks/definition.ts";
import type { PermissionMode, RuleExamples, TrustLevel } from "../../permissions/permission.ts";
import type { TrustState, WorkspaceTrust } from "./workspace-trust.ts";

/**
 * What people and projects set in files, and a program for one session. A file may hold more than this: such keys are kept
 * and reported.
 */
export interface Settings {
  /** What the agent answers in, such as `German` or `pt-BR`. */
  language?: string;
  /** A mode in words: `safe` is `plan`, `moderate` is `default`, `full` is `acceptEdits`. */
  defaultTrustLevel?: TrustLevel;
  permissions?: {
    allow?: readonly string[];
    ask?: readonly string[];
    deny?: readonly string[];
    /** By rule: calls that it must and must not be about. */
    examples?: Readonly<Record<string, RuleExamples>>;
    /** Counts before `defaultTrustLevel`. */
    defaultMode?: PermissionMode;
  };
  /**
   * Whether commands that only look at the workspace run without a rule, which they do when omitted. `false` in any layer
   * counts; a project can say nothing else.
   */
  readOnlyCommands?: boolean;
  hooks?: HooksConfig;
  /** Private origins that http hooks may reach, such as `http://127.0.0.1:9000`. Never a project's to say. */
  hookOrigins?: readonly string[];
  /** Rounds of tools after which an answer is asked for. */
  maxTurns?: number;
  /** Share of the window above which a session makes room by itself, or `false`. */
  autoCompactThreshold?: number | false;
  /** Which model to use, for programs that choose one. */
  provider?: ProviderSettings;
  /**
   * `replace`: agents of trusted projects keep their names and take the place of others, the person's before Robota's own.
   * `prefix` when omitted: they are called `project:` and their name. Only a person's own settings can say so.
   */
  projectAgents?: "prefix" | "replace";
  /** By name: servers whose tools a program may connect to. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>;
  readonly [key: string]: unknown;
}

export interface ProviderSettings {
  /** Such as `anthropic`. */
  name?: string;
  model?: string;
  apiKey?: string;
  baseURL?: string;
}

export interface McpServerSettings {
  url?: string;
  headers?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Whose settings a layer has. */
export type SettingsScope = "invocation" | "project" | "user";

/** Something in a file that is not as it was meant, or not in force. */
export interface SettingsWarning {
  /** The layer: `invocation`, `host` (what the platform gives), or the file's path as people write it, such as `~/.robota/settings.json`. */
  layer: string;
  /** Such as `permissions.allow` or `mcpServers.github.url`; empty for the whole. */
  setting: string;
  message: string;
}

/** All layers as one. */
export interface ResolvedSettings {
  /** What is in force. Values from the environment are in it. */
  readonly values: Settings;
  /** By setting, such as `language`, `provider.model` or `permissions.deny.0`: the layer that its value comes from. */
  readonly sources: Readonly<Record<string, string>>;
  readonly warnings: readonly SettingsWarning[];
  /** Whether what the workspace holds is in force. */
  readonly trust: TrustState;
}

export interface SettingsOptions {
  /** The invocation's own settings, which count before those of all files. */
  settings?: Settings | undefined;
  /**
   * Whether the workspace's hooks, allowed calls, servers, agents and instructions are in force: asked when it has some,
   * and again when they have changed since. Its restrictions always are. Without it they are not, unless they were
   * trusted before.
   */
  trustWorkspace?: WorkspaceTrust | undefined;
}
