import { chunks, first } from "./database.ts";
import type { Inode } from "./inodes.ts";

/** An append adds to the last row up to this size, then begins a new one: its cost does not grow with the file. */
const APPEND_ROW_BYTES = 64 * 1024;

/** Adds rows with `bytes` to a file, from the row number `from` on. */
export function insertChunks(sql: SqlStorage, ino: number, from: number, bytes: Uint8Array): void {
  let position = from;
  for (const data of chunks(bytes)) {
    sql.exec("INSERT INTO robota_chunks VALUES (?, ?, ?)", ino, position, data);
    position += 1;
  }
}

export function deleteChunks(sql: SqlStorage, ino: number): void {
  sql.exec("DELETE FROM robota_chunks WHERE ino = ?", ino);
}

/** Adds `bytes` to the end of a file: to its last row where they fit, else in rows of their own. */
export function appendChunks(sql: SqlStorage, ino: number, bytes: Uint8Array): void {
  const last = first<{ position: number; length: number }>(
    sql,
    `SELECT position, length(data) AS length FROM robota_chunks
     WHERE ino = ? ORDER BY position DESC LIMIT 1`,
    ino,
  );
  if (!last || last.length + bytes.length > APPEND_ROW_BYTES) {
    insertChunks(sql, ino, last ? last.position + 1 : 0, bytes);
    return;
  }
  const { data: head } = sql
    .exec<{ data: ArrayBuffer }>(
      "SELECT data FROM robota_chunks WHERE ino = ? AND position = ?",
      ino,
      last.position,
    )
    .one();
  sql.exec(
    "UPDATE robota_chunks SET data = ? WHERE ino = ? AND position = ?",
    joined(new Uint8Array(head), bytes),
    ino,
    last.position,
  );
}

/** The bytes of files by inode number; incomplete files are left out. */
export function readChunks(sql: SqlStorage, files: readonly Inode[]): Map<number, Uint8Array> {
  // A single query: each costs more than it returns for a small file.
  const rows = sql.exec<{ ino: number; data: ArrayBuffer }>(
    `SELECT ino, data FROM robota_chunks WHERE ino IN (SELECT value FROM json_each(?))
     ORDER BY ino, position`,
    JSON.stringify(files.map(({ ino }) => ino)),
  );
  const chunksOf = new Map<number, Uint8Array[]>();
  for (const { ino, data } of rows.toArray()) {
    const known = chunksOf.get(ino);
    if (known) known.push(new Uint8Array(data));
    else chunksOf.set(ino, [new Uint8Array(data)]);
  }
  const whole = new Map<number, Uint8Array>();
  for (const { ino, size } of files) {
    const bytes = joined(...(chunksOf.get(ino) ?? []));
    if (bytes.length === size) whole.set(ino, bytes);
  }
  return whole;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
