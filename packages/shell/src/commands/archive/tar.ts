import { concatBytes, errorMessage } from "@robota/runtime/ports";
import {
  compress,
  decompress,
  isGzip,
  readTar,
  writeTar,
  type TarEntry,
  walkTree,
} from "@robota/runtime/virtual";
import { patternToRegExp } from "../shell-pattern.ts";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { explain, parseArguments, readOperand, readTextOperand } from "../arguments.ts";
import { createExtraction } from "./extraction.ts";
import { permissionsOf, timestampOf } from "../file-words.ts";

const TROUBLE = 2;

interface Task {
  context: ShellCommandContext;
  /** Base directory for reading and writing members. */
  directory: string;
  archive: string;
  members: readonly string[];
  isExcluded: (name: string) => boolean;
  stripped: number;
  options: ReadonlyMap<string, string>;
}

/** `c`, `t`, `x`, `r` with `f z a v C O k` and `--strip-components`, `--exclude`, in the old form (`tar xzf`) as well. */
export const tar: ShellCommand = {
  name: "tar",
  async run(args, context) {
    try {
      return await dispatch(await readTask(args, context));
    } catch (error) {
      return { stderr: `tar: ${errorMessage(error)}\n`, exitCode: TROUBLE };
    }
  },
};

async function readTask(args: readonly string[], context: ShellCommandContext): Promise<Task> {
  const { options, given, operands } = parseArguments(modern(args), {
    flags: "ctxruzavkmpPOhjJ",
    valued: "fCTXs",
    long: {
      create: "c",
      list: "t",
      extract: "x",
      get: "x",
      append: "r",
      file: "f",
      gzip: "z",
      "auto-compress": "a",
      verbose: "v",
      directory: "C",
      "to-stdout": "O",
      "keep-old-files": "k",
      "files-from": "T",
      "exclude-from": "X",
      bzip2: "j",
      xz: "J",
      "strip-components": "strip",
      exclude: "exclude",
      "no-same-owner": "p",
      overwrite: "m",
    },
  });
  if (options.has("j") || options.has("J")) {
    throw new Error("only gzip is supported: use z (.tar.gz) instead of j and J");
  }
  const listed = options.get("T");
  const fromFile = listed === undefined ? "" : await readTextOperand(context, listed);
  const excluded = given.filter(([name]) => name === "exclude").map(([, value]) => value);
  const excludedFrom = options.get("X");
  if (excludedFrom !== undefined) {
    const lines = (await readTextOperand(context, excludedFrom)).split("\n");
    for (const line of lines) if (line !== "") excluded.push(line);
  }
  const patterns = excluded.map((pattern) => patternToRegExp(pattern.replace(/\/$/, "")));
  return {
    context,
    directory: context.resolve(options.get("C") ?? "."),
    archive: options.get("f") ?? "-",
    members: [...operands, ...fromFile.split("\n").filter(Boolean)],
    // A pattern may match a whole name or the part after any slash in it.
    isExcluded: (name) => {
      const parts = name.replace(/\/$/, "").split("/");
      return patterns.some((pattern) =>
        parts.some((_part, at) => pattern.test(parts.slice(at).join("/"))),
      );
    },
    stripped: Number(options.get("strip") ?? 0),
    options,
  };
}

/** Rewrites `tar xzf a.tgz`: letters without a dash, followed by their values in order. */
function modern(args: readonly string[]): string[] {
  const [first = "", ...rest] = args;
  if (first.startsWith("-") || !/^[a-zA-Z]+$/.test(first)) return [...args];
  return Array.from(first)
    .flatMap((letter) =>
      "fCTX".includes(letter) ? [`-${letter}`, rest.shift() ?? ""] : [`-${letter}`],
    )
    .concat(rest);
}

async function dispatch(task: Task): Promise<ShellCommandResult> {
  const { options } = task;
  if (options.has("c")) return create(task, []);
  if (options.has("r") || options.has("u")) return create(task, await readArchive(task));
  if (options.has("t")) return list(task);
  if (options.has("x")) return extract(task);
  throw new Error("You must specify one of the '-ctrx' options");
}

async function readArchive({ context, archive }: Task): Promise<TarEntry[]> {
  const bytes = await readOperand(context, archive).catch((error: unknown) => {
    throw new Error(`${errorMessage(error).replace(": ", ": Cannot open: ")}`, { cause: error });
  });
  const plain = isGzip(bytes) ? await decompress(bytes, "gzip") : bytes;
  const entries: TarEntry[] = [];
  for await (const { size: _size, type, ...member } of readTar([plain])) {
    const linked = type === "link" && entries.find(({ name }) => name === member.target);
    entries.push({
      ...member,
      type: type === "directory" || type === "symlink" ? type : "file",
      content: linked ? linked.content : await member.content(),
    });
  }
  return entries;
}

async function create(task: Task, before: readonly TarEntry[]): Promise<ShellCommandResult> {
  const { context, directory, archive, members, options } = task;
  const { fs } = context;
  if (members.length === 0) throw new Error("Cowardly refusing to create an empty archive");
  const entries: TarEntry[] = [...before];
  let [listing, stderr] = ["", ""];
  const output = context.resolve(archive);
  for (const member of members) {
    const start = member.startsWith("/") ? member : `${directory}/${member}`;
    try {
      for await (const { name, path, stat } of walkTree(fs, member, start, task.isExcluded)) {
        if (path === output) continue;
        const shown = name.replace(/^\/+/, "").replace(/\/$/, "") || ".";
        const suffix = stat.type === "directory" ? "/" : "";
        entries.push({
          name: shown + suffix,
          type: stat.type,
          mode: stat.mode,
          mtimeMs: stat.mtimeMs,
          content: stat.type === "file" ? await fs.readFile(path) : new Uint8Array(),
          target: stat.type === "symlink" ? await fs.readlink(path) : "",
        });
        if (options.has("v")) listing += `${shown}${suffix}\n`;
      }
    } catch (error) {
      stderr += `tar: ${member}: Cannot stat: ${explain(error)}\n`;
    }
  }
  const isPacked = options.has("z") || (options.has("a") && /\.(?:tgz|gz)$/.test(archive));
  const plain = writeTar(entries);
  const bytes = isPacked ? await compress(plain, "gzip") : plain;
  const exitCode = stderr === "" ? 0 : TROUBLE;
  if (archive === "-") return { stdout: bytes, stderr: listing + stderr, exitCode };
  await fs.writeFile(output, bytes);
  return { stdout: listing, stderr, exitCode };
}

/** Selects the requested members: a name includes everything below it. */
function* chosen(
  { members, isExcluded }: Task,
  entries: readonly TarEntry[],
  missing: Set<string>,
): Generator<TarEntry> {
  const asked = members.map((member) => member.replace(/\/$/, ""));
  for (const entry of entries) {
    const name = entry.name.replace(/\/$/, "");
    const found = asked.filter((member) => name === member || name.startsWith(`${member}/`));
    for (const member of found) missing.delete(member);
    if ((asked.length === 0 || found.length > 0) && !isExcluded(name)) yield entry;
  }
}

function missingWords(missing: ReadonlySet<string>): string {
  return [...missing].map((member) => `tar: ${member}: Not found in archive\n`).join("");
}

async function list(task: Task): Promise<ShellCommandResult> {
  const missing = new Set(task.members.map((member) => member.replace(/\/$/, "")));
  let stdout = "";
  for (const entry of chosen(task, await readArchive(task), missing)) {
    stdout += `${task.options.has("v") ? describe(entry) : entry.name}\n`;
  }
  return { stdout, stderr: missingWords(missing), exitCode: missing.size > 0 ? TROUBLE : 0 };
}

function describe(entry: TarEntry): string {
  const time = timestampOf(entry.mtimeMs).slice(0, 16);
  const link = entry.type === "symlink" ? ` -> ${entry.target}` : "";
  const size = String(entry.content.length).padStart(9);
  return `${permissionsOf(entry)} user/user ${size} ${time} ${entry.name}${link}`;
}

async function extract(task: Task): Promise<ShellCommandResult> {
  const { context, directory, options, stripped } = task;
  const missing = new Set(task.members.map((member) => member.replace(/\/$/, "")));
  const entries = await readArchive(task);
  await context.fs.readdir(directory).catch((error: unknown) => {
    throw new Error(`${options.get("C")}: Cannot open: ${explain(error)}`, { cause: error });
  });
  const extraction = createExtraction(context.fs, directory);
  const printed: Uint8Array[] = [];
  let [listing, stderr] = ["", ""];
  for (const entry of chosen(task, entries, missing)) {
    const name = entry.name.replace(/^\/+/, "").split("/").slice(stripped).join("/");
    if (name === "") continue;
    if (options.has("v")) listing += `${entry.name}\n`;
    try {
      if (options.has("O")) printed.push(entry.content);
      else if (options.has("k") && entry.type !== "directory" && (await extraction.exists(name))) {
        throw new Error(`${name}: Cannot open: File exists`);
      } else if (entry.type === "directory") await extraction.directory(name);
      else if (entry.type === "symlink") await extraction.symlink(name, entry.target);
      else await extraction.file(name, entry.content, entry);
    } catch (error) {
      stderr += `tar: ${errorMessage(error)}\n`;
    }
  }
  stderr += missingWords(missing);
  const exitCode = stderr === "" ? 0 : TROUBLE;
  if (options.has("O")) return { stdout: concatBytes(printed), stderr: listing + stderr, exitCode };
  return { stdout: listing, stderr, exitCode };
}
