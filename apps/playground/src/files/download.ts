import { saveStream } from "@robota/adapters-web";
import type { FileSystem } from "@robota/runtime";
import { basename } from "@robota/runtime/ports";
import { exportZip } from "@robota/runtime/virtual";

/** Saves a file as it is, and a folder as a zip. */
export async function download(
  fs: FileSystem,
  { path, isDirectory }: { path: string; isDirectory: boolean },
): Promise<string> {
  const name = isDirectory ? `${basename(path)}.zip` : basename(path);
  const content = isDirectory
    ? exportZip(fs, path)
    : new Blob([new Uint8Array(await fs.readFile(path))]).stream();
  return (await saveStream(content, name)) ? `${name} was saved` : "Nothing was saved";
}
