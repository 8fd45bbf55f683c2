import { FileSystemError } from "../../errors.ts";
import { locate, notFound, type PathContext } from "./locate.ts";

/** Where a search begins. */
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

/** The argument of the search tools that says where to search. */
export function pathParameter(what: string): { type: "string"; minLength: 1; description: string } {
  return {
    type: "string",
    minLength: 1,
    description: `${what} to search in; the working directory when left out`,
  };
}
