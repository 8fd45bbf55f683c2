import type { SentError } from "./errors.ts";
import type { PathChange, FileOperation } from "./operation.ts";
import type { Inode } from "./tree.ts";

/** The owner's changes of one transaction, which bring a tree from revision `after` to `revision`. */
export interface Commit {
  type: "commit";
  after: number;
  revision: number;
  /** Inodes by number; null for deleted ones. */
  inodes: [number, Inode | null][];
  files: PathChange[];
}

export interface ChangeRequest {
  type: "request";
  id: string;
  operation: FileOperation;
  /** Milliseconds since the epoch; the owner ignores requests that arrive later. */
  until: number;
}

/**
 * The protocol between tabs on one workspace. A follower says `hello`, and the owner answers with its present commit. A
 * `request` is answered twice: `accepted` at once, `done` when it is stored. A new owner says `owner`.
 */
export type TabMessage =
  | { type: "hello" }
  | { type: "owner" }
  | Commit
  | ChangeRequest
  | { type: "accepted"; id: string }
  | { type: "done"; id: string; error?: SentError };

/** Part of the channel's name, so that tabs of two versions do not misunderstand each other. */
const VERSION = 2;

/** A typed BroadcastChannel between the tabs on one workspace. */
export class TabChannel {
  readonly #channel: BroadcastChannel;

  constructor(workspace: string, onMessage: (message: TabMessage) => void) {
    this.#channel = new BroadcastChannel(`robota-fs:${workspace}:${VERSION}`);
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data);
  }

  post(message: TabMessage): void {
    this.#channel.postMessage(message);
  }

  close(): void {
    this.#channel.close();
  }
}
