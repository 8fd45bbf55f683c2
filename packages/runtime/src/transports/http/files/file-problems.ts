import { FileSystemError } from "../../../errors.ts";
import { HttpProblem } from "../problem.ts";

/** An error of the file system as an answer. It names no path but the caller's own. */
export function asProblem(error: unknown): never {
  if (!(error instanceof FileSystemError)) throw error;
  if (error.code === "ENOENT") throw noSuchFile();
  if (error.code === "EISDIR") throw conflict("A directory is there.");
  if (error.code === "ENOTDIR" || error.code === "EEXIST")
    throw conflict("A file is where a directory is needed.");
  if (error.code === "ELOOP" || error.code === "EBUSY")
    throw conflict("A link was put on the path meanwhile.");
  if (error.code === "ENAMETOOLONG")
    throw new HttpProblem(400, "PATH_TOO_LONG", "A name has at most 255 bytes.");
  throw error;
}

export function noSuchFile(): HttpProblem {
  return new HttpProblem(404, "NO_SUCH_FILE", "There is no such file in the workspace.", {
    hint: "GET files lists a directory.",
  });
}

export function conflict(message: string): HttpProblem {
  return new HttpProblem(409, "FILE_CONFLICT", message, { hint: "GET files shows what is there." });
}
