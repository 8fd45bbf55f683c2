import type { JsonObject } from "../messages/message.ts";
import type { HookEvent, HookInput } from "./events.ts";
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
export interface FunctionHook extends HookOptions {
  type: "function";
  run(
    this: void,
    input: HookInput,
    context: { signal: AbortSignal },
  ): HookFunctionAnswer | Promise<HookFunctionAnswer>;
  /** For people; the function's own name when omitted. */
  name?: string;
}

export type HookFunctionAnswer = HookOutput | HookResult | void;

/** A type of one's own, such as `acme:chat`, with an executor for it. Its fields go to that executor as they are. */
export interface CustomHook extends HookOptions {
  type: `${string}:${string}`;
  readonly [field: string]: unknown;
}

export type HookDefinition =
  | CommandHook
  | HttpHook
  | PromptHook
  | AgentHook
  | FunctionHook
  | CustomHook;

export interface HookGroup {
  /**
   * Which tools (or sources, triggers, agents: see the event) the hooks are for. Empty, `*` or omitted: all. Otherwise a
   * name, names joined by `|`, or a regular expression in the syntax of RE2 for the whole name.
   */
  matcher?: string;
  hooks: readonly HookDefinition[];
}

export type HooksConfig = { readonly [Event in HookEvent]?: readonly HookGroup[] };

/** Seconds. */
export const DEFAULT_HOOK_TIMEOUT = 10;
