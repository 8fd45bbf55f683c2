import { promisifyRequest } from "idb-keyval";
import type { Changes } from "./operation.ts";
import { type Inode, Tree, type TreeState } from "./tree.ts";

/**
 * How a workspace lies in IndexedDB: one `inodes` record per file, directory and symlink; a file's bytes as `pieces`
 * under `[inode, offset]`, so that an append is one small record; and some `state` of the whole.
 */
export const STORES = ["inodes", "pieces", "state"];
const STATE = "tree";
const REQUEST = "request";

export function createStores(database: IDBDatabase): void {
  database.createObjectStore("inodes", { keyPath: "ino" });
  database.createObjectStore("pieces");
  database.createObjectStore("state");
}

/** The whole tree, at one moment. */
export async function loadTree(transaction: IDBTransaction, now: number): Promise<Tree> {
  const store = transaction.objectStore("state");
  const [state, requests, inodes] = await Promise.all([
    promisifyRequest<TreeState | undefined>(store.get(STATE)),
    promisifyRequest<string[]>(store.getAll(IDBKeyRange.bound([REQUEST], [REQUEST, []]))),
    promisifyRequest<Inode[]>(transaction.objectStore("inodes").getAll()),
  ]);
  return new Tree({ inodes, state, requests }, now);
}

/** A file's bytes, or `undefined` when there is no such file. */
export async function loadBytes(
  transaction: IDBTransaction,
  ino: number,
): Promise<Uint8Array | undefined> {
  const store = transaction.objectStore("pieces");
  const pieces = await promisifyRequest<Uint8Array[]>(store.getAll(piecesOf(ino)));
  if (pieces.length > 0) return join(pieces);
  const inode = await promisifyRequest(transaction.objectStore("inodes").getKey(ino));
  return inode === undefined ? undefined : new Uint8Array();
}

/** Puts everything that `changes` names into one transaction and ends it. */
export function storeChanges(transaction: IDBTransaction, tree: Tree, changes: Changes): void {
  const inodes = transaction.objectStore("inodes");
  const pieces = transaction.objectStore("pieces");
  const gone: number[] = [];
  for (const ino of changes.inodes) {
    const inode = tree.get(ino);
    if (inode) inodes.put(Object.assign(inode, { revision: tree.revision }));
    else gone.push(ino);
  }
  for (const { ino, offset, data, replaces } of changes.pieces) {
    if (!tree.get(ino)) continue;
    if (replaces) pieces.delete(piecesOf(ino));
    if (data.length > 0) pieces.put(data, [ino, offset]);
  }
  for (const [first, last] of runs(gone)) {
    inodes.delete(IDBKeyRange.bound(first, last));
    pieces.delete(IDBKeyRange.bound([first], [last, []]));
  }
  if (gone.length > 0) {
    const state: TreeState = { nextIno: tree.nextIno, revision: tree.revision };
    transaction.objectStore("state").put(state, STATE);
  }

  const { done, outdated } = changes.requests;
  for (const id of done) transaction.objectStore("state").put(id, [REQUEST, id]);
  for (const id of outdated) transaction.objectStore("state").delete([REQUEST, id]);

  const joins = changes.joins.filter(({ ino }) => tree.get(ino));
  if (joins.length === 0) transaction.commit();
  // Last, because they have to see the pieces above.
  for (const { ino, offset } of joins) joinPieces(pieces, ino, offset);
}

/** Something to store, so that a strict transaction has something to put onto the disk, with all that came before. */
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

/** Runs of consecutive numbers, as `[first, last]`: what was made together is removed by few requests. */
function runs(numbers: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found;
}
