import type { Hono } from "hono";
import { FileSystemError } from "../../../errors.ts";
import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import { dirname } from "../../../ports/path.ts";
import type { BodyLimits } from "../body/body-limits.ts";
import { readBytes } from "../body/read-body.ts";
import { operations } from "../operations.ts";
import { HttpProblem } from "../problem.ts";
import type { SessionEnvironment } from "../session-environment.ts";
import { checkConditions, etagOf, fileAnswer } from "./file-answer.ts";
import { type FilePlace, filePlace, isHidden } from "./file-place.ts";
import { asProblem, conflict, noSuchFile } from "./file-problems.ts";

const MAX_ENTRIES = 5000;

/** Adds routes for the files of a session's workspace. */
export function addFileRoutes(
  app: Hono<SessionEnvironment>,
  { fileBytes, bodyIdleMs }: { fileBytes: number } & Pick<BodyLimits, "bodyIdleMs">,
): void {
  const { listFiles, readFile, writeFile, deleteFile } = operations;
  const inTurn = oneAtATime();

  app.get(listFiles.path, async (context) => {
    const { session, principal } = context.var;
    const path = context.req.query("path") ?? "";
    const place = await filePlace(session, path, { principal, writes: false });
    await requireDirectory(place);
    if (context.req.header("accept")?.includes("application/zip")) {
      const { exportZip } = await import("../../../virtual/archive/export-files.ts");
      const leavesOut = (below: string): boolean =>
        isHidden(path === "" ? below : `${path}/${below}`, principal);
      const zip = exportZip(place.fs, place.path, { leavesOut, signal: context.req.raw.signal });
      const headers = {
        "content-type": "application/zip",
        "content-disposition": 'attachment; filename="files.zip"',
      };
      if (context.req.raw.method !== "HEAD") return new Response(zip, { headers });
      await zip.cancel();
      return context.body(null, 200, headers);
    }
    return context.json({ path, ...(await entriesOf(place)) });
  });
  app.get(readFile.path, async (context) => {
    const { session, principal } = context.var;
    const place = await filePlace(session, pathOf(context.req), { principal, writes: false });
    const { size, mtimeMs } = await requireFile(place);
    if (size > fileBytes) throw tooLarge(fileBytes);
    const bytes = await place.fs.readFile(place.path);
    return fileAnswer(context.req.raw, { bytes, path: place.path, mtimeMs });
  });
  app.put(writeFile.path, async (context) => {
    const { session, principal } = context.var;
    const { raw } = context.req;
    const place = await filePlace(session, pathOf(context.req), { principal, writes: true });
    const bytes = await readBytes(raw, { bodyBytes: fileBytes, bodyIdleMs });
    const isNew = await inTurn(session, async () => {
      const before = await currentTag(place);
      checkConditions(raw.headers, before);
      await place.fs.mkdir(dirname(place.path), { recursive: true }).catch(asProblem);
      await place.fs.writeFile(place.path, bytes).catch(asProblem);
      return before === undefined;
    });
    return context.body(null, isNew ? 201 : 204, { etag: await etagOf(bytes) });
  });
  app.delete(deleteFile.path, async (context) => {
    const { session, principal } = context.var;
    const place = await filePlace(session, pathOf(context.req), { principal, writes: true });
    await inTurn(session, async () => {
      const stat = await place.fs.lstat(place.path).catch(asProblem);
      if (stat.type !== "directory")
        checkConditions(context.req.raw.headers, await currentTag(place));
      else if ((await place.fs.readdir(place.path)).length > 0)
        throw conflict("The directory has entries.");
      await place.fs.remove(place.path, { recursive: stat.type === "directory" }).catch(asProblem);
    });
    return context.body(null, 204);
  });
}

/** The path behind `/files/`, decoded. */
function pathOf(request: { param(name: string): string | undefined }): string {
  return request.param("path") ?? "";
}

/** Runs changes of one session after one another, so that a condition still holds when its change is made. */
function oneAtATime(): <Result>(
  session: InteractiveSession,
  work: () => Promise<Result>,
) => Promise<Result> {
  const last = new WeakMap<InteractiveSession, Promise<unknown>>();
  return (session, work) => {
    const running = (last.get(session) ?? Promise.resolve()).then(work);
    last.set(
      session,
      running.catch(() => undefined),
    );
    return running;
  };
}

async function entriesOf({
  fs,
  path,
}: FilePlace): Promise<{ entries: object[]; isTruncated: boolean }> {
  const all = await fs.readdir(path).catch(asProblem);
  const entries: object[] = [];
  for (const { name, type } of all.slice(0, MAX_ENTRIES)) {
    const { size, mtimeMs } = await fs.lstat(path === "/" ? `/${name}` : `${path}/${name}`);
    entries.push({ name, type, size, modifiedAt: new Date(mtimeMs).toISOString() });
  }
  return { entries, isTruncated: all.length > MAX_ENTRIES };
}

async function requireDirectory({ fs, path }: FilePlace): Promise<void> {
  const { type } = await fs.lstat(path).catch(asProblem);
  if (type !== "directory") throw noSuchFile();
}

async function requireFile({ fs, path }: FilePlace): Promise<{ size: number; mtimeMs: number }> {
  const stat = await fs.lstat(path).catch(asProblem);
  if (stat.type !== "file") throw noSuchFile();
  return stat;
}

/** The ETag of the file that is there; `undefined` when none is. @throws {HttpProblem} 409 for a directory */
async function currentTag({ fs, path }: FilePlace): Promise<string | undefined> {
  try {
    return await etagOf(await fs.readFile(path));
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
    return asProblem(error);
  }
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(413, "FILE_TOO_LARGE", `The file has over ${limit} bytes.`, {
    hint: "Have the agent take what is needed out of it.",
  });
}
