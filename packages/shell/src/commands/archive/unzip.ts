import { concatBytes, errorMessage } from "@robota/runtime/ports";
import { readZip, type ZipEntry } from "@robota/runtime/virtual";
import { patternToRegExp } from "../shell-pattern.ts";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { createExtraction } from "./extraction.ts";
import { timestampOf } from "../file-words.ts";
import { splitPatterns } from "./zip-patterns.ts";

const NO_ARCHIVE = 9;

const NO_MATCH = 11;

/** `-l`, `-Z1`, `-p`, `-t`, `-q`, `-o`, `-n`, `-j`, `-d directory`, `-x pattern...`, members by pattern. */
export const unzip: ShellCommand = {
  name: "unzip",
  async run(args, context) {
    const { own, patterns } = splitPatterns(args);
    const { options, operands } = parseArguments(own, {
      flags: "lptqonjZ1vca",
      valued: "d",
    });
    const [archive, ...members] = operands;
    if (archive === undefined) throw new Error("missing operand");
    let entries: ZipEntry[];
    try {
      const bytes = await readOperand(context, archive).catch(() =>
        readOperand(context, `${archive}.zip`),
      );
      entries = await readZip(new Blob([bytes.slice()]));
    } catch (error) {
      return {
        stderr: `unzip: cannot find or open ${archive}: ${errorMessage(error)}\n`,
        exitCode: NO_ARCHIVE,
      };
    }
    const asked = members.map(patternToRegExp);
    const chosen = entries.filter(
      ({ name }) =>
        (asked.length === 0 || asked.some((pattern) => pattern.test(name))) &&
        !patterns.x.some((pattern) => pattern.test(name)),
    );
    if (asked.length > 0 && chosen.length === 0) {
      return {
        stderr: `caution: filename not matched:  ${members.join(" ")}\n`,
        exitCode: NO_MATCH,
      };
    }
    if (options.has("Z") || options.has("1")) {
      return { stdout: chosen.map(({ name }) => `${name}\n`).join("") };
    }
    if (options.has("l") || options.has("v")) return { stdout: list(archive, chosen) };
    if (options.has("p") || options.has("c")) {
      const contents = await Promise.all(chosen.map((entry) => entry.content()));
      return { stdout: concatBytes(contents) };
    }
    if (options.has("t")) return test(archive, chosen);
    return extract(context, archive, chosen, options);
  },
};

function list(archive: string, entries: readonly ZipEntry[]): string {
  const rule = "---------  ---------- -----   ----\n";
  const rows = entries.map(({ name, size, mtimeMs }) => {
    const time = timestampOf(mtimeMs).slice(0, 16);
    return `${String(size).padStart(9)}  ${time}   ${name}\n`;
  });
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  const files = `${entries.length} file${entries.length === 1 ? "" : "s"}`;
  const end = `${String(total).padStart(9)}                     ${files}\n`;
  return `Archive:  ${archive}\n  Length      Date    Time    Name\n${rule}${rows.join("")}${rule.replace("---------- -----", " ".repeat(16))}${end}`;
}

async function test(archive: string, entries: readonly ZipEntry[]): Promise<ShellCommandResult> {
  let stdout = `Archive:  ${archive}\n`;
  for (const entry of entries) {
    await entry.content();
    stdout += `    testing: ${entry.name}   OK\n`;
  }
  return { stdout: `${stdout}No errors detected in compressed data of ${archive}.\n` };
}

async function extract(
  context: ShellCommandContext,
  archive: string,
  entries: readonly ZipEntry[],
  options: ReadonlyMap<string, string>,
): Promise<ShellCommandResult> {
  const directory = context.resolve(options.get("d") ?? ".");
  await context.fs.mkdir(directory, { recursive: true });
  const extraction = createExtraction(context.fs, directory);
  let stdout = options.has("q") ? "" : `Archive:  ${archive}\n`;
  let stderr = "";
  for (const entry of entries) {
    const isDirectory = entry.name.endsWith("/");
    if (isDirectory && options.has("j")) continue;
    const name = options.has("j") ? (entry.name.split("/").at(-1) ?? "") : entry.name;
    try {
      // Nobody can be asked whether to replace a file; that takes -o.
      if (!isDirectory && !options.has("o") && (await extraction.exists(name))) {
        if (!options.has("n"))
          throw new Error(`${name} already exists: use -o to replace it or -n to keep it`);
        continue;
      }
      const content = await entry.content();
      if (isDirectory) await extraction.directory(name);
      else if (entry.isSymlink) await extraction.symlink(name, new TextDecoder().decode(content));
      else await extraction.file(name, content, entry);
      const verb = isDirectory ? "   creating" : "  inflating";
      if (!options.has("q"))
        stdout += `${verb}: ${options.get("d") ? `${options.get("d")}/` : ""}${name}\n`;
    } catch (error) {
      stderr += `unzip: ${errorMessage(error)}\n`;
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
}
