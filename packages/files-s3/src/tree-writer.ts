import { GroupCommit, OverlayFileSystem, type Outcome } from "@robota/runtime/virtual";
import type { CommitLog } from "./commit-log.ts";
import {
  type CommitRecord,
  commitRecord,
  type Payload,
  type TreeOperation,
} from "./commit-record.ts";
import { attempt, type FileTree } from "./file-tree.ts";
import type { TreeReplica } from "./tree-replica.ts";

/** An operation, given where its bytes will lie in the commit; those that bring none ignore it. */
export interface Change {
  operation: (payload: Payload) => TreeOperation;
  bytes?: Uint8Array;
}

/** More go into the next commit. */
const MAX_CHANGES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Changes that were tried on a copy of the tree. */
interface Draft {
  /** The commit's number. */
  number: number;
  record: CommitRecord;
  payloads: readonly Uint8Array[];
  /** Error of each change, if it failed. */
  errors: unknown[];
  /** Which of the changes are in the record. */
  kept: readonly number[];
}

/**
 * Changes the tree of all processes that share a prefix. Changes are tried here, then stored as the next commit, which fails
 * when another process has stored one: then that one is applied, and the changes are tried again.
 */
export class TreeWriter {
  readonly #replica: TreeReplica;
  readonly #log: CommitLog;
  readonly #onCommit: (commit: number) => void;
  readonly #changes = new GroupCommit<Change, void>((changes) => this.#store(changes));

  constructor(replica: TreeReplica, log: CommitLog, onCommit: (commit: number) => void) {
    this.#replica = replica;
    this.#log = log;
    this.#onCommit = onCommit;
  }

  /** Resolves when it is stored. @throws {FileSystemError} of the operation, and of the store */
  change(change: Change): Promise<void> {
    return this.#changes.add(change);
  }

  async #store(changes: readonly Change[]): Promise<Outcome<void>[]> {
    const outcomes: Outcome<void>[] = [];
    for (const batch of batchesOf(changes)) {
      try {
        outcomes.push(...(await this.#storeBatch(batch)));
      } catch (error) {
        outcomes.push(...batch.map(() => ({ error })));
      }
    }
    return outcomes;
  }

  async #storeBatch(changes: readonly Change[]): Promise<Outcome<void>[]> {
    await this.#replica.open();
    for (let isCurrent = false; ; isCurrent = true) {
      const draft = await this.#replica.alone((tree) => this.#draft(tree, changes));
      // Others may have stored the very thing that is missing.
      if (!isCurrent && draft.errors.some((error) => error !== undefined)) {
        await this.#replica.lookAgain();
        continue;
      }
      const errors = draft.kept.length === 0 ? draft.errors : await this.#commit(draft);
      if (errors) return errors.map((error) => (error === undefined ? DONE : { error }));
    }
  }

  async #draft(tree: FileTree, changes: readonly Change[]): Promise<Draft> {
    const number = this.#replica.last + 1;
    const atMs = Date.now();
    const copy = new OverlayFileSystem(tree.files, { now: () => atMs });
    const operations: TreeOperation[] = [];
    const payloads: Uint8Array[] = [];
    const errors: unknown[] = [];
    const kept: number[] = [];
    let offset = 0;
    for (const [index, { operation, bytes = NONE }] of changes.entries()) {
      const whole = operation({ offset, length: bytes.length });
      const error = await attempt(copy, whole, { commit: number, bodyStart: 0 });
      errors.push(error);
      if (error !== undefined && !leavesTraces(whole)) continue;
      operations.push(whole);
      kept.push(index);
      payloads.push(bytes);
      offset += bytes.length;
    }
    return { number, record: { ...commitRecord(operations), atMs }, payloads, errors, kept };
  }

  /** Error of each change, if it failed; `undefined` when another process was faster. */
  async #commit({ number, record, payloads, errors, kept }: Draft): Promise<unknown[] | undefined> {
    const stored = await this.#replica.commit(number, record.id, () =>
      this.#log.append(number, record, payloads),
    );
    if (!stored) return undefined;
    this.#onCommit(number);
    const all = [...errors];
    for (const [index, position] of kept.entries()) all[position] ??= stored[index];
    return all;
  }
}

const NONE = new Uint8Array();
const DONE: Outcome<void> = { value: undefined };

/** `mkdir -p` leaves the directories that it could make. */
function leavesTraces(operation: TreeOperation): boolean {
  return operation.do === "mkdir" && operation.recursive === true;
}

function* batchesOf(changes: readonly Change[]): Generator<Change[]> {
  let batch: Change[] = [];
  let size = 0;
  for (const change of changes) {
    const length = change.bytes?.length ?? 0;
    if (batch.length === MAX_CHANGES || (batch.length > 0 && size + length > MAX_BYTES)) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(change);
    size += length;
  }
  yield batch;
}
