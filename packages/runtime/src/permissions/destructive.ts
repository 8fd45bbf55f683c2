import { isWithin } from "../ports/path.ts";
import { type PermissionCall, shellForms } from "./call.ts";
import { commandName } from "./shell-launchers.ts";

/** Why a shell line may destroy what no rule should let go unseen, with the command; `undefined` for others. */
export function destruction(call: PermissionCall): { reason: string; command: string } | undefined {
  if (/:\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:/.test(call.value ?? ""))
    return { reason: "It starts copies of itself without end.", command: call.value ?? "" };
  for (const words of call.possible().commands) {
    const reason = destroys(words, call);
    if (reason) return { reason, command: words.join(" ") };
  }
  const device = call
    .possible()
    .redirects.find(({ operator, target }) => operator.includes(">") && isDisk(target));
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
  if (/^mkfs|^(?:fdisk|parted|wipefs|sgdisk|blkdiscard)$/.test(name))
    return "It changes a disk itself.";
  if (name === "dd" && args.some((arg) => arg.startsWith("of=") && isDisk(arg.slice(3))))
    return "It writes to a disk itself.";
  if (name === "git" && operands.includes("clean") && has("f", /^--f/) && !has("n", /^--dry/))
    return "It deletes files that Git does not keep.";
  const isTree =
    (name === "rm" && has("rR", /^--r/)) ||
    (/^(?:chmod|chown|chgrp)$/.test(name) && has("R", /^--rec/)) ||
    name === "mv" ||
    name === "shred" ||
    (name === "find" &&
      (args.includes("-delete") ||
        args.some((arg) => /^-(?:exec|ok)/.test(arg) && args.includes("rm"))));
  if (!isTree) return undefined;
  const targets =
    name === "mv" ? operands.slice(0, -1) : name === "find" ? operands.slice(0, 1) : operands;
  if (
    name === "find" &&
    args.some((arg) => /^-(?:name|iname|path|type|regex|mtime|size|empty)/.test(arg))
  )
    return undefined;
  return targets.some((target) => isTooMuch(target, call))
    ? "It reaches everything in the workspace, in the home directory or on the machine."
    : undefined;
}

/** Whether a word names a root, a home, what holds one, or all that is in it. */
function isTooMuch(word: string, call: PermissionCall): boolean {
  const whole = word
    .replace(/\/(?:\*|\.\*|\{[^}]*\}|\.\[[^\]]*\]\*)+\/*$/, "/")
    .replace(/^(?:\*|\.\*|\.\/\*)$/, ".");
  const { home, roots = [], cwd = "/" } = call.context;
  if (/^~[^/]*\/?$/.test(whole)) return true;
  const forms = shellForms(whole, call);
  const kept = ["/", cwd, ...roots, ...(home === undefined ? [] : [home])];
  if (!forms) return /^[$`"]|^\/[^/]*$/.test(word);
  return forms.some(
    (form) =>
      kept.some((root) => isWithin(form, root)) || (/^\/[^/]+$/.test(form) && form !== "/tmp"),
  );
}

function isDisk(path: string): boolean {
  return /^\/dev\/(?:[hsv]d[a-z]|nvme|mmcblk|disk|mapper|md\d|loop)/.test(path);
}
