import type { Attachment } from "../messages/message.ts";
import type { TurnRequest } from "../session/log/events.ts";

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
}

/** The arguments of `submit` behind its prompt: its options, or the places that the specification gives to some of them. */
export type SubmitArguments =
  | [options?: SubmitOptions]
  | [displayInput: string | undefined, rawInput?: string | undefined, options?: SubmitOptions];

/** The options among the arguments of `submit`. */
export function submitOptions([first, rawInput, options]: SubmitArguments): SubmitOptions {
  return typeof first === "object" ? first : { displayInput: first, rawInput, ...options };
}
