import type { Attachment } from "../messages/message.ts";
import type { TurnRequest } from "../session/log/events.ts";
import type { QueryFormat } from "./structured-answers.ts";
import type { ExecutionResult } from "./types.ts";

/** More about a prompt. */
export interface SubmitOptions {
  /** Text for the history instead of the prompt. */
  displayInput?: string | undefined;
  /** Text for hooks instead of the prompt. */
  rawInput?: string | undefined;
  /**
   * Ends this prompt: takes it out of the queue, or stops its turn, which keeps its text so far. Other prompts go on. `submit`
   * resolves as interrupted.
   */
  signal?: AbortSignal | undefined;
  /** The client's request behind it, recorded with the turn. */
  request?: TurnRequest | undefined;
  /** Name of the skill whose instructions it is. */
  skill?: string | undefined;
  /** Images and files behind the text. */
  attachments?: readonly Attachment[] | undefined;
  /**
   * The form of this prompt's answer: an object schema of zod (4.2 or later) or any library with the Standard JSON Schema
   * interface, or a JSON Schema. The model may correct its answer once; the result has the value as `output`.
   */
  responseFormat?: QueryFormat<unknown> | undefined;
}

/** Options that ask for a value. */
export interface StructuredSubmitOptions<Output> extends SubmitOptions {
  responseFormat: QueryFormat<Output>;
}

/** The outcome of a turn whose answer is a value. */
export interface StructuredResult<Output> extends ExecutionResult {
  /** Absent when the turn did not complete, or its answer is not in the format: then `error` says why. */
  output?: Output;
}

/** The arguments of `submit` behind its prompt: its options, or the places that the specification gives to some of them. */
export type SubmitArguments =
  | [options?: SubmitOptions]
  | [displayInput: string | undefined, rawInput?: string | undefined, options?: SubmitOptions];

/** The options among the arguments of `submit`. */
export function submitOptions([first, rawInput, options]: SubmitArguments): SubmitOptions {
  return typeof first === "object" ? (first ?? {}) : { displayInput: first, rawInput, ...options };
}
