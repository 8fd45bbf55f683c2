import { encodeText } from "@robota/runtime/ports";
import { readZip, writeZip, type NewZipEntry, walkTree } from "@robota/runtime/virtual";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { splitPatterns } from "./zip-patterns.ts";

const NOTHING_TO_DO = 12;

/**
 * Creates an archive or adds to one: `-r`, `-q`, `-j`, `-x pattern...`, `-i pattern...`; levels are accepted and
 * ignored.
 */
export const zip: ShellCommand = {
  name: "zip",
  async run(args, context) {
    const { own, patterns } = splitPatterns(args);
    const { options, operands } = parseArguments(own, {
      flags: "rqjDXy9876543210uv",
      long: { "recurse-paths": "r", quiet: "q", "junk-paths": "j" },
    });
    const [archive, ...names] = operands;
    if (archive === undefined || names.length === 0) throw new Error("nothing to do");
    const path = context.resolve(/\.[^/]*$/.test(archive) ? archive : `${archive}.zip`);
    const isTaken = (name: string): boolean =>
      !patterns.x.some((pattern) => pattern.test(name)) &&
      (patterns.i.length === 0 ||
        name.endsWith("/") ||
        patterns.i.some((pattern) => pattern.test(name)));
    const entries = new Map<string, NewZipEntry>();
    const before = await context.fs.readFile(path).catch(() => undefined);
    for (const entry of before ? await readZip(new Blob([before.slice()])) : []) {
      entries.set(entry.name, { ...entry, bytes: await entry.content() });
    }
    let stdout = "";
    let stderr = "";
    for (const name of names) {
      try {
        for await (const entry of newEntries(context, name, options, path)) {
          if (!isTaken(entry.name)) continue;
          const verb = entries.has(entry.name) ? "updating" : "  adding";
          const kind = entry.bytes.length > 0 ? "deflated" : "stored 0%";
          if (!options.has("q")) stdout += `${verb}: ${entry.name} (${kind})\n`;
          entries.set(entry.name, entry);
        }
      } catch (error) {
        stderr += `\tzip warning: name not matched: ${name} (${explain(error)})\n`;
      }
    }
    if (entries.size === 0) {
      return {
        stdout,
        stderr: `${stderr}\nzip error: Nothing to do! (${archive})\n`,
        exitCode: NOTHING_TO_DO,
      };
    }
    await context.fs.writeFile(path, await writeZip(entries.values()));
    return { stdout, stderr };
  },
};

async function* newEntries(
  { fs, resolve }: ShellCommandContext,
  name: string,
  options: ReadonlyMap<string, string>,
  archive: string,
): AsyncGenerator<NewZipEntry> {
  for await (const found of walkTree(fs, name.replace(/\/$/, ""), resolve(name))) {
    const isDirectory = found.stat.type === "directory";
    if (found.path === archive || (isDirectory && (options.has("j") || options.has("D")))) continue;
    const isSymlink = found.stat.type === "symlink" && options.has("y");
    const shown = found.name.replace(/^(?:\.?\/+)+/, "");
    if (shown === "" || shown === ".") {
      if (!options.has("r")) return;
      continue;
    }
    const short = options.has("j") ? (shown.split("/").at(-1) ?? shown) : shown;
    const bytes = isDirectory
      ? new Uint8Array()
      : isSymlink
        ? encodeText(await fs.readlink(found.path))
        : await fs.readFile(found.path);
    const { mode, mtimeMs } = found.stat;
    yield { name: isDirectory ? `${short}/` : short, mode, mtimeMs, isSymlink, bytes };
    if (isDirectory && !options.has("r")) return;
  }
}
