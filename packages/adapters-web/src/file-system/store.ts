import { promisifyRequest } from "idb-keyval";
import type { Changes, InlineRecord } from "./operation.ts";
import { fromRow, type InodeRow, toRow } from "./packed-inodes.ts";
import { pageRange } from "./unpacked-changes.ts";
import { type FileInode, type Inode, Tree, type TreeState } from "./tree.ts";

/**
 * The layout of a workspace in IndexedDB.
 *
 * A small file written as a whole is one `small` record under `[revision, inode]`: its bytes and its inode. Other inode
 * changes of a transaction are one `changes` record under its revision. Bytes of larger files, and appends, are
 * `pieces` under `[inode, offset]`. So most changes cost one record each. Opening reads few records, because all inodes
 * are packed into `pages` after enough changes: `state` has the revision of the last packing, `changes` restarts there,
 * and of `small` only records of later revisions are read for their inodes.
 */
export const STORES = ["pages", "small", "changes", "pieces", "state"];
export const TREE_STORES = ["pages", "small", "changes", "state"];
export const BYTE_STORES = ["small", "pieces"];
/** Most changes need it, and many need no other. */
export const LOCK_STORE = "small";
const SMALL_STORES = [LOCK_STORE];

/** Version 1 had an `inodes` record for each file and directory, and all bytes in `pieces`. */
export const VERSION = 2;

const STATE = "tree";
const REQUEST = "request";
const MANY_HOMES = 16;

interface SmallRecord {
  data: Uint8Array;
  /** Absent when the pages were stored with it. */
  inode?: InodeRow;
}

interface ChangesRecord {
  inodes: InodeRow[];
  gone: number[];
  nextIno: number;
}

/** Creates the stores of a new database, or migrates those of an older version. */
export function makeStores(
  database: IDBDatabase,
  { oldVersion, transaction }: { oldVersion: number; transaction: IDBTransaction },
): void {
  for (const name of ["pages", "small", "changes"]) database.createObjectStore(name);
  if (oldVersion === 0) {
    database.createObjectStore("pieces");
    database.createObjectStore("state");
    return;
  }
  const state = transaction.objectStore("state").get(STATE) as IDBRequest<TreeState | undefined>;
  const inodes: IDBRequest<Inode[]> = transaction.objectStore("inodes").getAll();
  inodes.onsuccess = () => {
    const old = inodes.result.map((each) => (each.type === "file" ? { ...each, home: 0 } : each));
    const tree = new Tree({ inodes: old, state: state.result, requests: [] }, 0);
    tree.tail.add(
      old.map(({ ino }) => ino),
      0,
    );
    storePages(transaction, tree);
    database.deleteObjectStore("inodes");
  };
}

/** The whole tree, at one moment. */
export async function loadTree(transaction: IDBTransaction, now: number): Promise<Tree> {
  const store = transaction.objectStore("state");
  const state = await promisifyRequest<TreeState | undefined>(store.get(STATE));
  const later = IDBKeyRange.lowerBound([(state?.revision ?? 0) + 1]);
  const all = <T>(name: string, range?: IDBKeyRange): Promise<T[]> =>
    promisifyRequest<T[]>(transaction.objectStore(name).getAll(range));
  const changes = transaction.objectStore("changes");
  const [requests, pages, small, revisions, others] = await Promise.all([
    all<string>("state", IDBKeyRange.bound([REQUEST], [REQUEST, []])),
    all<string>("pages"),
    all<SmallRecord>("small", later),
    promisifyRequest(changes.getAllKeys()) as Promise<number[]>,
    all<ChangesRecord>("changes"),
  ]);
  const inodes = pages.flatMap((page) => (JSON.parse(page) as InodeRow[]).map(fromRow));
  const tree = new Tree({ inodes, state, requests }, now);

  const steps = others.map((each, index) => ({ revision: revisions[index] ?? 0, ...each }));
  for (const { inode, data } of small) {
    if (!inode) continue;
    const [ino, , , , , revision] = inode;
    steps.push({ revision, inodes: [inode], gone: [], nextIno: ino + 1 });
    tree.tail.add([ino], data.length);
  }
  // Not sorted by their stores: a file may be written in one, moved in the other, and written again.
  for (const step of steps.toSorted((a, b) => a.revision - b.revision)) replay(tree, step);
  for (const each of others) tree.tail.add([...each.inodes.map(([ino]) => ino), ...each.gone], 0);
  return tree;
}

function replay(tree: Tree, step: ChangesRecord & { revision: number }): void {
  for (const ino of step.gone) tree.delete(ino);
  for (const row of step.inodes) tree.put(fromRow(row));
  tree.revision = Math.max(tree.revision, step.revision);
  tree.nextIno = Math.max(tree.nextIno, step.nextIno);
}

/**
 * A file's bytes, or `undefined` when they are not where `file` says. To be called in the step that starts the
 * transaction.
 */
export async function loadBytes(
  transaction: IDBTransaction,
  { ino, size, home, pieces }: FileInode,
): Promise<Uint8Array | undefined> {
  if (size === 0) return new Uint8Array();
  const store = transaction.objectStore("pieces");
  const after = IDBKeyRange.bound([ino, 1], [ino, []]);
  const [first, others] = await Promise.all([
    home > 0
      ? promisifyRequest<SmallRecord | undefined>(
          transaction.objectStore("small").get([home, ino]),
        ).then((record) => record?.data)
      : promisifyRequest<Uint8Array | undefined>(store.get([ino, 0])),
    pieces > (home > 0 ? 0 : 1) ? promisifyRequest<Uint8Array[]>(store.getAll(after)) : [],
  ]);
  return first && join([first, ...others]);
}

/** A plan for storing changes. */
export interface StorePlan {
  stores: string[];
  /** Includes the pages. */
  isPacked: boolean;
}

export function planChanges({ tail }: Tree, changes: Changes): StorePlan {
  const { inodes, small, pieces, gonePieces, joins, requests } = changes;
  for (const [ino, { length }] of small) tail.add([ino], length);
  if (inodes.size > small.size) tail.add(inodes, 0);
  const isPacked = tail.isLong;
  const others = gonePieces.size + pieces.length + joins.length;
  const requested = requests.done.length + requests.outdated.length;
  // The fewer stores, the less the browser has to do for a transaction.
  const isOnlySmall = inodes.size === small.size && others + requested === 0 && !isPacked;
  return { stores: isOnlySmall ? SMALL_STORES : STORES, isPacked };
}

/** Puts everything that `changes` names into one transaction and ends it. The tree is at the new revision. */
export function storeChanges(
  transaction: IDBTransaction,
  tree: Tree,
  changes: Changes,
  { isPacked }: StorePlan,
): void {
  const { revision } = tree;
  const small = transaction.objectStore("small");
  forgetHomes(small, tree, changes.oldHomes);
  for (const [ino, data] of changes.small) {
    const inode = tree.get(ino);
    if (!inode) continue;
    inode.revision = revision;
    small.put(isPacked ? { data } : { data, inode: toRow(inode) }, [revision, ino]);
  }
  const record: ChangesRecord = { inodes: [], gone: [], nextIno: tree.nextIno };
  for (const ino of changes.inodes) {
    if (changes.small.has(ino)) continue;
    const inode = tree.get(ino);
    if (!inode) record.gone.push(ino);
    else record.inodes.push(toRow(Object.assign(inode, { revision })));
  }
  if (isPacked) storePages(transaction, tree);
  else if (record.inodes.length + record.gone.length > 0) {
    transaction.objectStore("changes").put(record, revision);
  }

  const { done, outdated } = changes.requests;
  for (const id of done) transaction.objectStore("state").put(id, [REQUEST, id]);
  for (const id of outdated) transaction.objectStore("state").delete([REQUEST, id]);

  storePieces(transaction, tree, changes);
  const joins = changes.joins.filter(({ ino }) => tree.get(ino));
  if (joins.length === 0) transaction.commit();
  // Last, because they have to see the pieces above.
  for (const { ino, offset } of joins) joinPieces(transaction.objectStore("pieces"), ino, offset);
}

function storePieces(transaction: IDBTransaction, tree: Tree, changes: Changes): void {
  if (changes.pieces.length === 0 && changes.gonePieces.size === 0) return;
  const pieces = transaction.objectStore("pieces");
  for (const { ino, offset, data, replaces } of changes.pieces) {
    if (!tree.get(ino)) {
      changes.gonePieces.add(ino);
      continue;
    }
    if (replaces) pieces.delete(piecesOf(ino));
    if (data.length > 0) pieces.put(data, [ino, offset]);
  }
  for (const [first, last] of runs([...changes.gonePieces])) {
    pieces.delete(IDBKeyRange.bound([first], [last, []]));
  }
}

/** Stores outdated pages, so that `changes` and inodes of `small` up to here are no longer needed. */
function storePages(transaction: IDBTransaction, tree: Tree): void {
  const pages = transaction.objectStore("pages");
  for (const page of tree.tail.pages) {
    const rows: InodeRow[] = [];
    const [first, end] = pageRange(page);
    for (let ino = first; ino < end; ino++) {
      const inode = tree.get(ino);
      if (inode) rows.push(toRow(inode));
    }
    if (rows.length > 0) pages.put(JSON.stringify(rows), page);
    else pages.delete(page);
  }
  transaction.objectStore("changes").clear();
  const state: TreeState = { nextIno: tree.nextIno, revision: tree.revision };
  transaction.objectStore("state").put(state, STATE);
  // If this is not stored, the tree is reloaded.
  tree.tail.clear();
}

/** Deletes records of small files, many with few requests that cover no other file's record. */
function forgetHomes(store: IDBObjectStore, tree: Tree, homes: readonly InlineRecord[]): void {
  if (homes.length <= MANY_HOMES) {
    for (const { home, ino } of homes) store.delete([home, ino]);
    return;
  }
  const all = homes.map((each) => ({ ...each, isGone: true }));
  for (const inode of tree.inodes()) {
    if (inode.type !== "file" || inode.home === 0) continue;
    all.push({ home: inode.home, ino: inode.ino, isGone: false });
  }
  let run: InlineRecord[] = [];
  const endRun = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    run = [];
    if (!first || !last) return;
    store.delete(IDBKeyRange.bound([first.home, first.ino], [last.home, last.ino]));
  };
  for (const each of all.toSorted((a, b) => a.home - b.home || a.ino - b.ino)) {
    if (each.isGone) run.push(each);
    else endRun();
  }
  endRun();
}

/** Writes a marker, so that a strict transaction flushes everything before it to the disk. */
export function noteFlush(transaction: IDBTransaction, now: number): void {
  transaction.objectStore("state").put(now, "flushed");
}

function joinPieces(store: IDBObjectStore, ino: number, offset: number): void {
  const range = IDBKeyRange.bound([ino, offset], [ino, []]);
  const first = store.getKey(range);
  const pieces: IDBRequest<Uint8Array[]> = store.getAll(range);
  pieces.onsuccess = () => {
    if (first.result === undefined) return;
    store.delete(range);
    store.put(join(pieces.result), first.result);
  };
}

function piecesOf(ino: number): IDBKeyRange {
  // An array sorts after every number.
  return IDBKeyRange.bound([ino], [ino, []]);
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** Runs of consecutive numbers, as `[first, last]`: files created together are deleted with few requests. */
function runs(numbers: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found;
}
