import { isWithin, normalizePath, resolvePath } from "../../ports/path.ts";
import type { StoredFields } from "../log/codec.ts";
import { firstArgument } from "../state/first-argument.ts";
import { isObject } from "./safe-events.ts";

/** A working directory on the original host and on this one. */
export interface Moved {
  from: string;
  to: string;
}

/** A path of the workspace on this host; `undefined` for one outside of it. */
export function movedPath({ from, to }: Moved, path: string): string | undefined {
  const normal = normalizePath(path);
  if (!path.startsWith("/") || normal === from || !isWithin(from, normal)) return undefined;
  return resolvePath(to, normal.slice(from === "/" ? 1 : from.length + 1));
}

/** The target of a link on this host, if it is in the workspace. */
export function movedTarget(moved: Moved, link: string, target: string): string | undefined {
  const place = normalizePath(`${link}/..`);
  if (!target.startsWith("/"))
    return isWithin(moved.to, resolvePath(place, target)) ? target : undefined;
  return movedPath(moved, target);
}

/**
 * Maps the paths of a record to this host. Texts stay as they were said and written: only values that are paths as a
 * whole are changed, in arguments, and in reports and memory of tools.
 */
export function movePaths(moved: Moved, record: StoredFields): StoredFields {
  // At the root, any text that starts with a slash would be a path.
  if (moved.from === moved.to || moved.from === "/") return record;
  const change = (value: unknown): unknown => moveValues(moved, value);
  switch (record.type) {
    case "tool_start":
      return movedStart(record, change(record["args"]));
    case "permission_request":
      return { ...record, request: change(record["request"]) };
    case "permission_decision":
      return { ...record, decision: change(record["decision"]) };
    case "tool_end":
      return { ...record, outcome: change(record["outcome"]) };
    case "assistant_message": {
      const { message } = record;
      if (!isObject(message) || message["toolCalls"] === undefined) return record;
      return { ...record, message: { ...message, toolCalls: change(message["toolCalls"]) } };
    }
    default:
      return record;
  }
}

/** The line that shows a call is made of its arguments, as a replay makes it. */
function movedStart(record: StoredFields, args: unknown): StoredFields {
  return isObject(args) ? { ...record, args, firstArg: firstArgument(args) } : record;
}

/** Prefix of the names under which tools remember files. */
const REMEMBERED = "file:";

function moveValues(moved: Moved, value: unknown): unknown {
  if (typeof value === "string") return moveText(moved, value);
  if (Array.isArray(value)) return value.map((item: unknown) => moveValues(moved, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.startsWith(REMEMBERED) ? REMEMBERED + moveText(moved, key.slice(REMEMBERED.length)) : key,
      moveValues(moved, item),
    ]),
  );
}

function moveText(moved: Moved, text: string): string {
  if (text === moved.from) return moved.to;
  return text.startsWith(`${moved.from}/`) ? (movedPath(moved, text) ?? text) : text;
}
