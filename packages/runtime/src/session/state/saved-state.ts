import type { Message } from "../../messages/message.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { SessionEvent } from "../log/events.ts";
import type { SavedQueue } from "../queue.ts";

/** A rule that a person's answer added. */
export interface Grant {
  pattern: string;
  scope: "turn" | "session" | "workspace";
}

/** What is small of a state, as a snapshot keeps it. */
export interface SavedState extends SavedQueue {
  cwd: string;
  systemMessage: string;
  projectInstructions: string;
  name: string | undefined;
  mode: PermissionMode;
  grants: Grant[];
  memory: [key: string, value: string][];
  completedTurns: number;
  stalledCompactions: number;
  isCompactionPaused: boolean;
  compactedFrom: number | undefined;
  preview: string;
  createdAt: number;
  updatedAt: number;
  hasOwnFiles: boolean;
  payloads: string[];
  messageCount: number;
  lastEntryType: string | undefined;
}

/** What of its past a state that was restored has not folded: it is made when somebody asks for it. */
export class UnfoldedPast {
  /** The kind of the history's last entry, when the state was saved. */
  readonly lastEntryType: string | undefined;
  /** Whether the state has its messages by now, also those of before. */
  hasMessages = false;
  /** What the state has folded since. */
  readonly since: SessionEvent[] = [];
  readonly #messageCount: number;
  readonly #older: () => Iterable<SessionEvent>;
  readonly #messages: (() => Message[]) | undefined;

  /** `older`: the events up to where the state was saved. `messages`: what the model knew there, where that was saved too. */
  constructor(
    { messageCount, lastEntryType }: Pick<SavedState, "messageCount" | "lastEntryType">,
    older: () => Iterable<SessionEvent>,
    messages: (() => Message[]) | undefined,
  ) {
    this.lastEntryType = lastEntryType;
    this.#messageCount = messageCount;
    this.#older = older;
    this.#messages = messages;
  }

  /** How many messages the state lacks. */
  get missingMessages(): number {
    return this.hasMessages ? 0 : this.#messageCount;
  }

  add(event: SessionEvent): void {
    this.since.push(event);
  }

  /** What the model knew; `undefined` when only all events can say so. */
  messages(): Message[] | undefined {
    return this.#messages?.();
  }

  /** All of them, up to now. */
  *events(): Generator<SessionEvent> {
    yield* this.#older();
    yield* this.since;
  }
}
