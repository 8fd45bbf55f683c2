import { getMimeType } from "hono/utils/mime";
import { defined } from "../../../defined.ts";
import { HttpProblem } from "../problem.ts";

/** A strong ETag: equal for equal bytes. */
export async function etagOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  const text = Array.from(new Uint8Array(hash, 0, 16), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return `"${text.join("")}"`;
}

/**
 * Checks the conditions of a change against the file that is there. `etag`: `undefined` when none is.
 * @throws {HttpProblem} 412
 */
export function checkConditions(headers: Headers, etag: string | undefined): void {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  const fails =
    (ifMatch !== null && !names(ifMatch, etag)) ||
    (ifNoneMatch !== null && names(ifNoneMatch, etag));
  if (!fails) return;
  throw new HttpProblem(412, "PRECONDITION_FAILED", "The file is another one by now.", {
    hint: "GET it again, and send its new ETag with If-Match.",
    headers: etag === undefined ? undefined : { etag },
  });
}

/** The answer to a GET: the bytes, a range of them, or word that the client has them. @throws {HttpProblem} 416 */
export async function fileAnswer(
  { headers, method }: Request,
  { bytes, path, mtimeMs }: { bytes: Uint8Array; path: string; mtimeMs: number },
): Promise<Response> {
  const etag = await etagOf(bytes);
  const common = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "last-modified": new Date(mtimeMs).toUTCString(),
    "x-content-type-options": "nosniff",
    // A page among the files may not act as a page of this server.
    "content-security-policy": "sandbox; default-src 'none'",
  };
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null && names(ifNoneMatch, etag))
    return new Response(null, { status: 304, headers: common });
  const type = getMimeType(path) ?? "application/octet-stream";
  const ifRange = headers.get("if-range");
  const wanted = ifRange === null || ifRange === etag ? headers.get("range") : null;
  const range = rangeOf(wanted, bytes.length);
  const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
  const shown = defined({
    ...common,
    "content-type": type,
    "content-length": String(part.length),
    "content-range": range && `bytes ${range.start}-${range.end}/${bytes.length}`,
  });
  const body = method === "HEAD" ? null : new Uint8Array(part);
  return new Response(body, { status: range ? 206 : 200, headers: shown });
}

/** One range; several are answered with everything, as a server may. */
function rangeOf(header: string | null, size: number): { start: number; end: number } | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  if (start < size && end >= start) return { start, end };
  throw new HttpProblem(416, "RANGE_NOT_SATISFIABLE", `The file has ${size} bytes.`, {
    hint: "Ask for a range within it.",
    headers: { "content-range": `bytes */${size}` },
  });
}

/** Reports whether a list of ETags names this one. */
function names(list: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  if (list.trim() === "*") return true;
  return list.split(",").some((item) => item.trim().replace(/^W\//, "") === etag);
}
