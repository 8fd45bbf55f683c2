import { fileUses } from "../shell-files.ts";
import { commandName } from "../shell-launchers.ts";
import type { PossibleCommands } from "../shell-reader.ts";

const RUNS_FILES =
  /^(?:(?:ba|z|da|k|a|fi|c|tc|rba)?sh|python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua|tclsh|expect)[\d.]*$/;
/** Copying into a directory keeps the name. */
const COPIES = /^(?:cp|mv|ln|install|link|rsync)$/;
/** Commands that change files, but not their content. */
const KEEPS_CONTENT =
  /^(?:chmod|chown|chgrp|chattr|setfacl|rm|rmdir|unlink|mkdir|touch|truncate|shred|srm|mktemp|mkfifo|mknod)$/;
const NO_FILE = /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/.*)|&?\d+|-.*|)$/;

/** Reports whether a line writes a file and runs a file of that name: its words do not show what then runs. */
export function runsWhatItWrites({ commands, redirects }: PossibleCommands): boolean {
  const written = new Set(
    [
      ...redirects.flatMap(({ operator, target }) => (operator.includes(">") ? [target] : [])),
      ...commands.flatMap(writtenBy),
    ]
      .filter((word) => !NO_FILE.test(word))
      .map(commandName),
  );
  if (written.size === 0) return false;
  const hasUnknown = [...written].some((word) => /[$`]/.test(word));
  const hasPath = commands.some((words) => words.some((word) => /^PATH\+?=/.test(word)));
  return commands.some((words) =>
    filesRun(words, hasPath).some(
      (word) => written.has(commandName(word)) || (hasUnknown && /[$`]/.test(word)),
    ),
  );
}

function writtenBy(words: readonly string[]): readonly string[] {
  const name = commandName(words[0] ?? "");
  if (KEEPS_CONTENT.test(name)) return [];
  return COPIES.test(name) ? words.slice(1) : fileUses(words).writes;
}

/** The words of a command that may name a file which it runs. */
function filesRun([path = "", ...args]: readonly string[], hasPath: boolean): string[] {
  const files = path.includes("/") || hasPath ? [path] : [];
  if (RUNS_FILES.test(commandName(path))) return [...files, ...args];
  for (const [index, arg] of args.entries()) {
    if (/^-\w*f$|^--(?:file|makefile)$/.test(arg)) files.push(args[index + 1] ?? "");
    const [, attached] = /^(?:-f|--(?:file|makefile|rcfile|init-file)=)(.+)$/s.exec(arg) ?? [];
    if (attached !== undefined) files.push(attached);
  }
  return files;
}
