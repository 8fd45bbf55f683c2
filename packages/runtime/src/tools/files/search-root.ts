import { FileSystemError } from "../../errors.ts";
import { locate, notFound, type PathContext } from "./locate.ts";

/** The starting point of a search. */
export interface SearchRoot {
  path: string;
  type: "file" | "directory";
}

/** @throws {ToolFailure} `ENOENT` with names that are like it */
export async function searchRoot(context: PathContext, path = "."): Promise<SearchRoot> {
  const root = locate(context, path);
  try {
    const { type } = await context.platform.fs.stat(root);
    return { path: root, type: type === "directory" ? "directory" : "file" };
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") {
      throw await notFound(context, root, error);
    }
    throw error;
  }
}
