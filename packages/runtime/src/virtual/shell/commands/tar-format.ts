import { concatBytes, decodeText, encodeText } from "../bytes.ts";

const BLOCK = 512;
const NAME = 100;

export interface TarEntry {
  /** A directory's ends in `/`. */
  name: string;
  type: "file" | "directory" | "symlink";
  mode: number;
  mtimeMs: number;
  content: Uint8Array;
  /** Of a symlink. */
  target: string;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

function header(entry: TarEntry, flag: string, name: Uint8Array, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (offset: number, text: string | Uint8Array): void =>
    block.set(typeof text === "string" ? encodeText(text) : text, offset);
  put(0, name.subarray(0, NAME));
  put(100, octal(entry.mode & 0o7777, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(Math.floor(entry.mtimeMs / 1000), 12));
  put(148, " ".repeat(8));
  put(156, flag);
  put(157, encodeText(entry.target).subarray(0, NAME));
  put(257, "ustar\u000000");
  put(265, "user");
  put(297, "user");
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

function padded(content: Uint8Array): Uint8Array[] {
  const rest = content.length % BLOCK;
  return rest === 0 ? [content] : [content, new Uint8Array(BLOCK - rest)];
}

/** Names and targets that are too long for a header come before it in a record of their own, as GNU tar writes them. */
export function writeTar(entries: readonly TarEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const long = (entry: TarEntry, flag: string, text: Uint8Array): void => {
    if (text.length <= NAME) return;
    const content = concatBytes([text, new Uint8Array(1)]);
    const record = { ...entry, mode: 0o644, mtimeMs: 0, target: "" };
    parts.push(header(record, flag, encodeText("././@LongLink"), content.length));
    parts.push(...padded(content));
  };
  for (const entry of entries) {
    const name = encodeText(entry.name);
    long(entry, "K", encodeText(entry.target));
    long(entry, "L", name);
    const flag = { file: "0", directory: "5", symlink: "2" }[entry.type];
    parts.push(header(entry, flag, name, entry.content.length), ...padded(entry.content));
  }
  parts.push(new Uint8Array(BLOCK * 2));
  return concatBytes(parts);
}

/** @throws {Error} When it is no tar archive. */
export function readTar(bytes: Uint8Array): TarEntry[] {
  if (bytes.length < BLOCK) throw new Error("This does not look like a tar archive");
  const entries: TarEntry[] = [];
  let [longName, longTarget] = ["", ""];
  let pax: Record<string, string> = {};
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const block = bytes.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const text = (offset: number, length: number): string =>
      decodeText(block.subarray(offset, offset + length)).replace(/\0.*$/s, "");
    const number = (offset: number, length: number): number =>
      Number.parseInt(text(offset, length).trim() || "0", 8);
    const sum = block.reduce(
      (total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte),
      0,
    );
    if (number(148, 8) !== sum) throw new Error("This does not look like a tar archive");
    const size = pax["size"] === undefined ? number(124, 12) : Number(pax["size"]);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new Error("Unexpected EOF in archive");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const flag = text(156, 1);
    const body = (): string => decodeText(content).replace(/\0+$/, "");
    if (flag === "L") longName = body();
    else if (flag === "K") longTarget = body();
    else if (flag === "x") pax = paxRecords(content);
    else if (flag !== "g") {
      const prefix = text(257, 5) === "ustar" ? text(345, 155) : "";
      const name = pax["path"] ?? (longName || (prefix ? `${prefix}/` : "") + text(0, NAME));
      const target = pax["linkpath"] ?? (longTarget || text(157, NAME));
      const type =
        flag === "5" || name.endsWith("/") ? "directory" : flag === "2" ? "symlink" : "file";
      entries.push({
        name,
        type,
        mode: number(100, 8),
        mtimeMs: number(136, 12) * 1000,
        content,
        target,
      });
      [longName, longTarget, pax] = ["", "", {}];
    }
  }
  return entries;
}

function paxRecords(content: Uint8Array): Record<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const length = Number(decodeText(content.subarray(at, space)));
    if (space === -1 || !(length > 0)) break;
    const [key = "", ...value] = decodeText(content.subarray(space + 1, at + length - 1)).split(
      "=",
    );
    records.set(key, value.join("="));
    at += length;
  }
  return Object.fromEntries(records);
}
