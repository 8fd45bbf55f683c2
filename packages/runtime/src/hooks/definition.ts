import type { JsonObject } from "../messages/message.ts";
import type { HookEvent, HookInputs } from "./events.ts";
import type { HookOutput, HookResult } from "./result.ts";

/** What hooks of all types take. */
export interface HookOptions {
  /** Seconds; 10 when omitted. */
  timeout?: number;
  /**
   * What follows when the hook itself fails: it is not found, ends with a code other than 0 and 2, takes too long, can't
   * be reached, or says what can't be read. `warn` (default) goes on with a warning; `block` stops what it guards.
   */
  onFailure?: "block" | "warn";
  /** The layer of settings it comes from, for people; see `hooksOfLayer`. */
  layer?: string;
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

/** Adds a text to what the model knows, or asks a model for a verdict on the input. */
export interface PromptHook extends HookOptions {
  type: "prompt";
  /** With `judge`, `$ARGUMENTS` stands for the input as JSON; without it, the input follows. */
  prompt: string;
  judge?: boolean;
}

/** Lets an agent look at the input and give a verdict. No hooks run inside of it. */
export interface AgentHook extends HookOptions {
  type: "agent";
  /** Name of the agent. */
  agent: string;
  config?: JsonObject;
}

/** A function of the program that owns the session. What it throws counts as a failed hook. */
export interface FunctionHook<Event extends HookEvent = HookEvent> extends HookOptions {
  type: "function";
  /** `input` has the fields of the event that the hook is for. */
  run(
    this: void,
    input: HookInputs[Event],
    context: { signal: AbortSignal },
  ): HookFunctionAnswer | Promise<HookFunctionAnswer>;
  /** For people; the function's own name when omitted. */
  name?: string;
}

export type HookFunctionAnswer = HookOutput | HookResult | void;

/**
 * A type of one's own, such as `acme:chat`, with an executor for it. Its fields go to that executor as they are. For a name
 * without a colon, `checkHooks` with that type makes a configuration of it.
 */
export interface CustomHook extends HookOptions {
  type: `${string}:${string}`;
  readonly [field: string]: unknown;
}

export type HookDefinition<Event extends HookEvent = HookEvent> =
  | CommandHook
  | HttpHook
  | PromptHook
  | AgentHook
  | FunctionHook<Event>
  | CustomHook;

export interface HookGroup<Event extends HookEvent = HookEvent> {
  /**
   * Which tools (or sources, triggers, agents: see the event) the hooks are for. Empty, `*` or omitted: all. Names joined
   * by `|` are these names (`Edit|Write`). Anything else is a regular expression in the syntax of RE2 that is looked for in
   * the name: `^Notebook`, `mcp__.*`; so is the beginning of MCP names, such as `mcp__github`. With one that can't be read,
   * hooks whose `onFailure` is `block` block, and the others do not run.
   */
  matcher?: string;
  hooks: readonly HookDefinition<Event>[];
}

export type HooksConfig = { readonly [Event in HookEvent]?: readonly HookGroup<Event>[] };

/** Seconds. */
export const DEFAULT_HOOK_TIMEOUT = 10;
