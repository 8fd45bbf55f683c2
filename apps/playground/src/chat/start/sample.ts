import { type FileSystem, FileSystemError } from "@robota/runtime";
import { dirname } from "@robota/runtime/ports";
import { sampleProject } from "@robota/runtime/providers/offline";
import { WORKSPACE_ROOT } from "../../constants.ts";

/** The guided card's edit of a sample file. */
const fixed: ReadonlyMap<string, (text: string) => string> = new Map([
  ["src/rules.js", (text) => text.replace("[^a-z0-9]/g", "[^a-z0-9]+/g")],
]);

/**
 * Gives a card the sample as it was: files that are missing, or that the card itself has changed. What a person has
 * written stays.
 */
export async function prepareSample(fs: FileSystem): Promise<void> {
  for (const [path, original] of Object.entries(sampleProject.files)) {
    const text = await read(fs, path);
    const isOfCard = text !== undefined && text === fixed.get(path)?.(original);
    if (text === undefined || isOfCard) await write(fs, path, original);
  }
}

/** Gives every file of the sample its first content back. Other files stay. */
export async function resetSample(fs: FileSystem): Promise<void> {
  for (const [path, text] of Object.entries(sampleProject.files)) await write(fs, path, text);
}

async function read(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await fs.readFile(`${WORKSPACE_ROOT}/${path}`));
  } catch (error) {
    if (error instanceof FileSystemError && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
}

async function write(fs: FileSystem, path: string, text: string): Promise<void> {
  const target = `${WORKSPACE_ROOT}/${path}`;
  await fs.mkdir(dirname(target), { recursive: true });
  await fs.writeFile(target, text);
}
