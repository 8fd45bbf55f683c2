import { decodeText, errorMessage, dirname, isWithin } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
import { applyHunks } from "./apply-hunks.ts";
import { parsePatch, reversed, type FilePatch } from "./patch-format.ts";

const FAILED = 1;
const TROUBLE = 2;

/** Applies unified and normal diffs: `-p`, `-R`, `-i`, `-d`, `-o`, `-b`, `-E`, `-N`, `-s`, `--dry-run`. */
export const patch: ShellCommand = {
  name: "patch",
  async run(args, context) {
    try {
      const { options, operands } = parseArguments(args, {
        flags: "RsNEbfutZT",
        valued: "pidrFoBz",
        long: {
          strip: "p",
          reverse: "R",
          input: "i",
          directory: "d",
          quiet: "s",
          silent: "s",
          forward: "N",
          "remove-empty-files": "E",
          backup: "b",
          force: "f",
          batch: "t",
          fuzz: "F",
          output: "o",
          "reject-file": "r",
          "dry-run": "dry",
          "no-backup-if-mismatch": "nobackup",
          verbose: "u",
        },
      });
      const [target, source] = operands;
      const text = await readTextOperand(context, options.get("i") ?? source ?? "-");
      const patches = parsePatch(text);
      if (patches.length === 0) throw new Error("**** Only garbage was found in the patch input.");
      let [stdout, exitCode] = ["", 0];
      for (const filePatch of patches) {
        const wanted = options.has("R") ? reversed(filePatch) : filePatch;
        const result = await applyToFile(context, wanted, target, options);
        stdout += result.messages;
        if (result.failed > 0) exitCode = FAILED;
      }
      return { stdout, exitCode };
    } catch (error) {
      return { stderr: `patch: ${errorMessage(error)}\n`, exitCode: TROUBLE };
    }
  },
};

type Options = ReadonlyMap<string, string>;

async function applyToFile(
  { fs, resolve, pace }: ShellCommandContext,
  filePatch: FilePatch,
  target: string | undefined,
  options: Options,
): Promise<{ messages: string; failed: number }> {
  const directory = options.get("d");
  const at = (name: string): string =>
    resolve(directory === undefined ? name : `${directory}/${name}`);
  const isThere = (name: string): Promise<boolean> =>
    fs.stat(at(name)).then(
      ({ type }) => type === "file",
      () => false,
    );
  const name = target ?? (await chooseName(filePatch, options.get("p"), isThere));
  if (name === undefined) throw new Error("**** can't find file to patch");
  const isDry = options.has("dry");
  const path = at(name);
  // Only the command line may name a file anywhere; names in the patch stay below the directory.
  if (target === undefined && !(await isBelow(fs, at("."), path))) {
    throw new Error(`**** refused, a link on its path leads out of the directory: ${name}`);
  }
  const before = (await isThere(name)) ? decodeText(await fs.readFile(path)) : "";
  const { text, messages, failed, rejected } = await applyHunks(before, filePatch.hunks, pace);
  let report = options.has("s") ? "" : `${isDry ? "checking" : "patching"} file ${name}\n`;
  if (!options.has("s") || failed > 0) report += options.has("s") ? "" : messages;
  if (failed > 0) {
    const saves = isDry || options.get("r") === "-" ? "" : ` -- saving rejects to file ${name}.rej`;
    report += `${failed} out of ${filePatch.hunks.length} hunk${filePatch.hunks.length === 1 ? "" : "s"} FAILED${saves}\n`;
  }
  if (isDry) return { messages: report, failed };
  const isInexact = messages !== "";
  if (options.has("b") || (isInexact && !options.has("nobackup"))) {
    if (await isThere(name)) await fs.writeFile(`${path}.orig`, before);
  }
  if (rejected !== "" && options.get("r") !== "-") {
    const head = `--- ${filePatch.oldName}\n+++ ${filePatch.newName}\n`;
    await fs.writeFile(
      options.has("r") ? at(options.get("r") ?? "") : `${path}.rej`,
      head + rejected,
    );
  }
  const isRemoved =
    failed === 0 && text === "" && (filePatch.newName === "/dev/null" || options.has("E"));
  if (isRemoved) await fs.remove(path, { force: true });
  else if (failed < filePatch.hunks.length) {
    const output = options.get("o");
    const place = output === undefined ? path : at(output);
    await fs.mkdir(dirname(place), { recursive: true });
    await fs.writeFile(place, text);
  }
  return { messages: report, failed };
}

/** Reports whether `path` is in `directory` even after following links among its existing parents. */
async function isBelow(
  fs: ShellCommandContext["fs"],
  directory: string,
  path: string,
): Promise<boolean> {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const real = await fs.realpath(at).catch(() => undefined);
    if (real !== undefined) return isWithin(await fs.realpath(directory), real);
    // A dangling link would be written through.
    const isThere = await fs.lstat(at).then(
      () => true,
      () => false,
    );
    if (isThere) return false;
  }
  return isWithin(await fs.realpath(directory), "/");
}

/** Chooses the name in the patch without its first `strip` directories, the old one first if it exists. */
async function chooseName(
  { oldName, newName }: FilePatch,
  strip: string | undefined,
  isThere: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  const names = [oldName, newName]
    .filter((name) => name !== "" && name !== "/dev/null")
    .map((name) => {
      const parts = name.split("/");
      return strip === undefined ? (parts.at(-1) ?? name) : parts.slice(Number(strip)).join("/");
    })
    .filter((name) => name !== "");
  if (names.some((name) => name.startsWith("/") || name.split("/").includes(".."))) {
    throw new Error(`**** refused, the name leads out of the directory: ${names.join(" ")}`);
  }
  for (const name of names) if (await isThere(name)) return name;
  return oldName === "/dev/null" ? names[0] : undefined;
}
