import type { TreeReplica } from "./tree-replica.ts";
import type { TreeSnapshots } from "./tree-snapshots.ts";

/** Commits between two trees in the store; more for a large tree, so that storing it costs less than the commits do. */
const COMMITS_PER_TREE = 64;
const ENTRIES_PER_COMMIT = 32;

/** Stores the tree now and then, so that opening stays fast. In the background: nobody waits for it, and nothing needs it. */
export class TreeKeeper {
  readonly #replica: TreeReplica;
  readonly #snapshots: TreeSnapshots;
  #last = -1;
  #pause = COMMITS_PER_TREE;
  #isBusy = false;

  constructor(replica: TreeReplica, snapshots: TreeSnapshots) {
    this.#replica = replica;
    this.#snapshots = snapshots;
  }

  onCommit(commit: number): void {
    const last = Math.max(this.#last, this.#replica.base);
    if (commit - last < this.#pause || this.#isBusy) return;
    this.#isBusy = true;
    void this.#store()
      // Tried again after as many commits.
      .catch(() => undefined)
      .finally(() => (this.#isBusy = false));
  }

  async #store(): Promise<void> {
    const snapshot = await this.#replica.alone(async (tree) => ({
      version: 1 as const,
      commit: this.#replica.last,
      entries: await tree.entries(),
    }));
    this.#last = snapshot.commit;
    this.#pause = Math.max(COMMITS_PER_TREE, snapshot.entries.length / ENTRIES_PER_COMMIT);
    await this.#snapshots.store(snapshot);
    await this.#snapshots.clean();
  }
}
