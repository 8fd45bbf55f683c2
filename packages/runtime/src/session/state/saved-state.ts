import type { SystemPromptReport } from "../../context/prompt-report.ts";
import type { Message } from "../../messages/message.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { SavedVersions } from "../files/recorded-versions.ts";
import type { ModelChoice, SessionEvent } from "../log/events.ts";
import { savedQueue, type SavedQueue } from "../queue.ts";
import type { SessionState } from "./state.ts";

/** A rule added by a person's answer. */
export interface Grant {
  pattern: string;
  scope: "turn" | "session" | "workspace";
}

/** The small parts of a state, for a snapshot. */
export interface SavedState extends SavedQueue {
  cwd: string;
  systemMessage: string;
  projectInstructions: string;
  promptReport?: SystemPromptReport | undefined;
  language?: string | undefined;
  model?: ModelChoice | undefined;
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
  versions: SavedVersions;
  messageCount: number;
  lastEntryType: string | undefined;
}

/** Fields that older snapshots, like their sessions, lack. */
export const OLDER_STATE = { projectInstructions: "", promptReport: undefined };

/** The fields of a state that are saved as they are. */
export function savedFields(
  state: SessionState,
): Omit<SavedState, "compactedFrom" | "messageCount" | "lastEntryType"> {
  return {
    cwd: state.cwd,
    systemMessage: state.systemMessage,
    projectInstructions: state.projectInstructions,
    promptReport: state.promptReport,
    language: state.language,
    model: state.model,
    name: state.name,
    mode: state.mode,
    grants: state.grants,
    memory: [...(state.memory ?? [])],
    ...savedQueue(state.queue, state.isQueuePaused),
    completedTurns: state.completedTurns,
    stalledCompactions: state.stalledCompactions,
    isCompactionPaused: state.isCompactionPaused,
    preview: state.preview,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    hasOwnFiles: state.hasOwnFiles,
    payloads: [...(state.payloads ?? [])],
    versions: state.versions.save(),
  };
}

/** The part of its past that a restored state has not folded, loaded on demand. */
export class UnfoldedPast {
  /** Kind of the history's last entry, when the state was saved. */
  readonly lastEntryType: string | undefined;
  /** True once the state has all its messages, including the earlier ones. */
  hasMessages = false;
  /** Events folded since. */
  readonly since: SessionEvent[] = [];
  readonly #messageCount: number;
  readonly #older: () => Iterable<SessionEvent>;
  readonly #messages: (() => Message[]) | undefined;

  /** Takes the events up to the snapshot (`older`), and the conversation there if it was saved (`messages`). */
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

  /** Number of messages that the state lacks. */
  get missingMessages(): number {
    return this.hasMessages ? 0 : this.#messageCount;
  }

  add(event: SessionEvent): void {
    this.since.push(event);
  }

  /** The conversation at the snapshot; `undefined` when it has to be folded from all events. */
  messages(): Message[] | undefined {
    return this.#messages?.();
  }

  /** All events up to now. */
  *events(): Generator<SessionEvent> {
    yield* this.#older();
    yield* this.since;
  }
}
