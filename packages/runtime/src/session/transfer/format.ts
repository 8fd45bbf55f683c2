import type { FileType } from "../../ports/file-system.ts";

/** The first field of the first line of an exported session. */
export const TRANSFER_FORMAT = "robota-session";
/** Of the lines around the events. A reader refuses a higher number and keeps fields it does not know. */
export const TRANSFER_VERSION = 1;

/** Which files go along with a session. */
export type TransferredFiles = "changed" | "workspace" | "none";

/** The first line. */
export interface TransferHeader {
  format: typeof TRANSFER_FORMAT;
  version: number;
  /** The format of the events. */
  events: number;
  session: {
    id: string;
    /** Absolute; paths of files are relative to it. */
    cwd: string;
    name?: string;
    provider: string;
    model: string;
    /** ISO 8601. */
    createdAt: string;
    updatedAt: string;
  };
  files: TransferredFiles;
  /** Whether what people have allowed for longer than once is in it. */
  grants: boolean;
}

/** What is at a path of the workspace; the bytes of a file follow as `data`. */
export interface TransferredFile {
  /** Relative to the working directory, without `.` and `..`. */
  path: string;
  /** `none`: the session has removed it. */
  type: FileType | "none";
  mode?: number;
  mtimeMs?: number;
  /** Bytes; of files. */
  size?: number;
  /** Of links, relative to where the link is. */
  target?: string;
}

/** What could not or may not leave its host. */
export interface LeftOut {
  path?: string;
  sha256?: string;
  reason: "secret" | "too-large" | "outside" | "unreadable" | "damaged";
}

/** The last line: a file without it was cut. */
export interface TransferEnd {
  /** Lines before it. */
  lines: number;
  /** SHA-256 of their bytes with their line feeds, in hex. */
  sha256: string;
}

/** Bytes of one `data` field: a multiple of three, so that Base64 pieces can be put together as text. */
export const DATA_BYTES = 192 * 1024;
/** Larger files are named and left out. Bytes. */
export const MAX_TRANSFERRED = 32 * 2 ** 20;
