import type { FileType } from "../../ports/file-system.ts";

/** The first field of the first line of an exported session. */
export const TRANSFER_FORMAT = "robota-session";
/** Version of the lines around the events. A reader refuses a higher number and keeps fields unknown to it. */
export const TRANSFER_VERSION = 1;

/** The choice of files that accompany a session. */
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
  /** True when it includes grants that outlast one call. */
  grants: boolean;
}

/** One path of the workspace; the bytes of a file follow as `data`. */
export interface TransferredFile {
  /** Relative to the working directory, without `.` and `..`. */
  path: string;
  /** `none`: the session has removed it. */
  type: FileType | "none";
  mode?: number;
  mtimeMs?: number;
  /** Size of a file, in bytes. */
  size?: number;
  /** Target of a link, relative to the link's directory. */
  target?: string;
}

/** An item that could not or must not leave its host. */
export interface LeftOut {
  path?: string;
  sha256?: string;
  /** An open call, whose arguments are included without their secret. */
  toolCallId?: string;
  reason: "secret" | "too-large" | "outside" | "unreadable" | "damaged";
}

/** The last line: a file without it is truncated. */
export interface TransferEnd {
  /** Number of lines before it. */
  lines: number;
  /** SHA-256 of their bytes including line feeds, in hex. */
  sha256: string;
}

/** Bytes of one `data` field: a multiple of three, so that Base64 pieces can be concatenated as text. */
export const DATA_BYTES = 192 * 1024;
/** Larger files are named and left out. Bytes. */
export const MAX_TRANSFERRED = 32 * 2 ** 20;
