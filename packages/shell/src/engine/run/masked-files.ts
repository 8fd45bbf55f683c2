import { dirname, FileSystemError, type FileSystem } from "@robota/runtime/ports";

/** The mask under which a file system creates its entries by itself. */
export const USUAL_MASK = 0o022;

const FILE = 0o666;
const DIRECTORY = 0o777;
/** Rights that directories made on the way to another have in any case, for it to be made. */
const PASSABLE = 0o300;

/** The same files, in which new ones and new directories have the rights that a mask leaves. */
export function maskedFiles(files: FileSystem, mask: number): FileSystem {
  const create = async (path: string, write: () => Promise<void>): Promise<void> => {
    const isNew = await isMissing(files, path);
    await write();
    if (isNew) await files.chmod(path, FILE & ~mask);
  };
  return {
    ...files,
    writeFile: (path, data, options) => create(path, () => files.writeFile(path, data, options)),
    appendFile: (path, data, options) => create(path, () => files.appendFile(path, data, options)),
    async mkdir(path, options) {
      const missing = options?.recursive ? await missingOn(files, path) : [path];
      await files.mkdir(path, options);
      for (const made of missing)
        await files.chmod(made, (DIRECTORY & ~mask) | (made === path ? 0 : PASSABLE));
    },
  };
}

async function isMissing(files: FileSystem, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return false;
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    return error.code === "ENOENT";
  }
}

/** The directories that are missing on a path, the last one first. */
async function missingOn(files: FileSystem, path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; await isMissing(files, at); at = dirname(at)) missing.push(at);
  return missing;
}
