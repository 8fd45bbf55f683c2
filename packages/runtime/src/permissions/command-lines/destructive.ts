import { isWithin } from "../../ports/path.ts";
import { type PermissionCall, shellForms } from "../call.ts";
import { fileUses, INTO } from "./shell-files.ts";
import { commandName } from "./shell-launchers.ts";

/**
 * The reason why a shell line may be destructive beyond what rules may hide, with the command; `undefined` for others.
 */
export function destruction(call: PermissionCall): { reason: string; command: string } | undefined {
  if (/:\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:/.test(call.value ?? ""))
    return { reason: "It starts copies of itself without end.", command: call.value ?? "" };
  for (const words of call.possible().commands) {
    const reason = destroys(words, call);
    if (reason) return { reason, command: words.join(" ") };
  }
  const device = call
    .possible()
    .redirects.find(({ operator, target }) => operator.includes(">") && isDisk(target, call));
  return device && { reason: "It writes to a disk itself.", command: `> ${device.target}` };
}

function destroys(words: readonly string[], call: PermissionCall): string | undefined {
  const [path = "", ...args] = words;
  const name = commandName(path);
  const operands = args.filter((arg) => !arg.startsWith("-"));
  const has = (short: string, long: RegExp): boolean =>
    args.some((arg) =>
      arg.startsWith("--")
        ? long.test(arg)
        : /^-\w/.test(arg) && short.split("").some((letter) => arg.includes(letter)),
    );
  if (/^mkfs(?:\..+)?$|^(?:fdisk|parted|wipefs|sgdisk|blkdiscard)$/.test(name))
    return "It changes a disk itself.";
  if (fileUses(words).writes.some((file) => isDisk(file, call)))
    return "It writes to a disk itself.";
  if (name === "git" && operands.includes("clean") && has("f", /^--f/) && !has("n", /^--dry/))
    return "It deletes files that Git does not track.";
  const isTree =
    (name === "rm" && has("rR", /^--r/)) ||
    (/^(?:chmod|chown|chgrp)$/.test(name) && has("R", /^--rec/)) ||
    name === "shred";
  // Moving removes the source; with `-t`, the last operand is one, too.
  const moved = args.some((arg) => INTO.test(arg)) ? operands : operands.slice(0, -1);
  const targets =
    name === "find" ? foundAndDeleted(args) : name === "mv" ? moved : isTree ? operands : [];
  return targets.some((target) => isTooMuch(target, call))
    ? "It reaches everything in the workspace, in the home directory or on the machine."
    : undefined;
}

/** Starting points of a `find` that deletes, unless its tests narrow the names. */
function foundAndDeleted(args: readonly string[]): string[] {
  const isDeleting =
    args.includes("-delete") ||
    (args.some((arg) => /^-(?:exec|ok)/.test(arg)) && args.map(commandName).includes("rm"));
  if (!isDeleting || alternatives(args).every(isNarrow)) return [];
  const rest = args.filter((arg) => !/^-[HLP]$/.test(arg));
  const starts = rest.slice(
    0,
    rest.findIndex((arg) => /^[-(!]/.test(arg)),
  );
  return starts.length > 0 ? starts : ["."];
}

/** The parts of a test that `-o` divides. */
function alternatives(args: readonly string[]): (readonly string[])[] {
  const at = args.findIndex((arg) => /^(?:-or?|,)$/.test(arg));
  return at < 0 ? [args] : [args.slice(0, at), ...alternatives(args.slice(at + 1))];
}

/**
 * Reports whether tests let only some names pass: a pattern of wildcards only, or an excluded name, narrows nothing.
 */
function isNarrow(tests: readonly string[]): boolean {
  return tests.some(
    (test, index) =>
      test === "-empty" ||
      (/^-i?(?:name|path|wholename|regex)$/.test(test) &&
        /\w/.test(tests[index + 1] ?? "") &&
        !/^(?:!|-not)$/.test(tests[index - 1] ?? "")),
  );
}

/** Reports whether a word names a root, a home, a parent of one, or all entries of one. */
function isTooMuch(word: string, call: PermissionCall): boolean {
  const whole = word
    .replace(/\/(?:\*|\.\*|\{[^}]*\}|\.\[[^\]]*\]\*)+\/*$/, "/")
    .replace(/^(?:\*|\.\*|\.\/\*)$/, ".");
  const { home, roots = [], cwd = "/" } = call.context;
  if (/^~[^/]*\/?$/.test(whole)) return true;
  const forms = shellForms(whole, call);
  const kept = ["/", cwd, ...roots, ...(home === undefined ? [] : [home])];
  // All files of an unknown directory, as after `cd $UNSET`, may be all files of the home.
  if (!forms) return /^[$`]|^\/[^/]*$|^[./]+$/.test(whole);
  return forms.some(
    (form) =>
      kept.some((root) => isWithin(form, root)) || (/^\/[^/]+$/.test(form) && form !== "/tmp"),
  );
}

function isDisk(word: string, call: PermissionCall): boolean {
  const disk = /^\/dev\/(?:x?[hsv]d[a-z]|nvme|mmcblk|disk|mapper|md\d|loop)/;
  return shellForms(word, call)?.some((path) => disk.test(path)) ?? false;
}
