import type { JsonObject } from "../messages/message.ts";
import type { HookEvent, HookInputs } from "./events.ts";
import type { HookOutput, HookResult } from "./result.ts";

/** Options common to hooks of all types. */
export interface HookOptions {
  /** Seconds; 10 when omitted. */
  timeout?: number | undefined;
  /**
   * Behaviour when the hook itself fails: it is not found, exits with a code other than 0 and 2, times out, can't be
   * reached, or gives unreadable output. `warn` (default) continues with a warning; `block` stops the guarded action.
   */
  onFailure?: "block" | "warn" | undefined;
  /** The layer of settings it comes from, for people; see `hooksOfLayer`. */
  layer?: string | undefined;
}

/** Runs a command line in the session's shell: the input on stdin, the answer by exit code and stdout. */
export interface CommandHook extends HookOptions {
  type: "command";
  command: string;
}

/** Sends the input to an address: 2xx allows, 403 and 422 block, and a JSON body may say more. */
export interface HttpHook extends HookOptions {
  type: "http";
  url: string;
  /** `POST` when omitted. `GET` sends no input. */
  method?: "POST" | "PUT" | "PATCH" | "GET";
  headers?: Readonly<Record<string, string>>;
}

/** Adds a text to the model's context, or asks a model for a verdict on the input. */
export interface PromptHook extends HookOptions {
  type: "prompt";
  /** With `judge`, `$ARGUMENTS` stands for the input as JSON; without the placeholder, the input is appended. */
  prompt: string;
  judge?: boolean;
}

/** Lets an agent look at the input and give a verdict. Its own calls run no hooks. */
export interface AgentHook extends HookOptions {
  type: "agent";
  /** Name of the agent. */
  agent: string;
  config?: JsonObject;
}

/** A function of the program that owns the session. An exception counts as a failed hook. */
export interface FunctionHook<Event extends HookEvent = HookEvent> extends HookOptions {
  type: "function";
  /** `input` has the fields of the event that the hook is for. */
  run(
    this: void,
    input: HookInputs[Event],
    context: { signal: AbortSignal },
  ): HookFunctionAnswer | Promise<HookFunctionAnswer>;
  /** Name for people; the function's own name when omitted. */
  name?: string;
}

/** An exit of a function, whose streams are empty where it leaves them out. */
export type HookExit = Pick<HookResult, "exitCode"> & Partial<HookResult>;

/** Return value of a function hook; nothing allows. */
export type HookFunctionAnswer = HookOutput | HookExit | void;

/**
 * A custom type, such as `acme:chat`, with an executor for it. Its fields go to that executor unchanged. For a name
 * without a colon, pass the type to `checkHooks`.
 */
export interface CustomHook extends HookOptions {
  type: `${string}:${string}`;
  readonly [field: string]: unknown;
}

/** A hook: a command, a request, a question to a model or an agent, a function, or a custom type. */
export type HookDefinition<Event extends HookEvent = HookEvent> =
  | CommandHook
  | HttpHook
  | PromptHook
  | AgentHook
  | FunctionHook<Event>
  | CustomHook;

/** Hooks that share a matcher. All matching hooks of an event run in parallel; the strictest outcome counts. */
export interface HookGroup<Event extends HookEvent = HookEvent> {
  /**
   * The tools (or sources, triggers, agents: see the event) that the hooks apply to. Empty, `*` or omitted: all. Names
   * joined by `|` match exactly (`Edit|Write`). Anything else is an unanchored regular expression in RE2 syntax:
   * `^Notebook`, `mcp__.*`, and prefixes of MCP names such as `mcp__github`. With an unreadable matcher, hooks whose
   * `onFailure` is `block` block, and others do not run.
   */
  matcher?: string;
  hooks: readonly HookDefinition<Event>[];
}

/** Hook groups by event, as settings files and the option `hooks` hold them. */
export type HooksConfig = { readonly [Event in HookEvent]?: readonly HookGroup<Event>[] };

/** Seconds. */
export const DEFAULT_HOOK_TIMEOUT = 10;
