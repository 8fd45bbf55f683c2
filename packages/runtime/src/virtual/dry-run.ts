import type { AccessRules } from "../ports/access.ts";
import type { FileSystem } from "../ports/file-system.ts";
import { basename, isWithin } from "../ports/path.ts";
import type { Shell, ShellOptions, ShellResult } from "../ports/shell.ts";
import { type Observation, observeFiles } from "./observed-files.ts";
import type { FileSystemChange } from "./overlay/changes.ts";
import { withQuota } from "./overlay/quota.ts";
import { OverlayFileSystem } from "./overlay-file-system.ts";

/** Together with the rest, a dry run takes at most two seconds. */
const MAX_MS = 1_500;
const MAX_CHANGES = 500;
const MAX_CHANGED_BYTES = 16 * 1024 * 1024;
/** The copies are in the caller's memory, so a command that fills it is ended. */
const MAX_WRITTEN_BYTES = 64 * 1024 * 1024;

/** The outcome of a command on an overlay: its output and changes, to be committed or dropped. */
export interface DryRun {
  result: ShellResult;
  /** The command's changes, sorted by path. Read bytes before `commit`. */
  changes: FileSystemChange[];
  /** The reason why the outcome can't stand for a real run: a limit was reached, or something was refused. */
  incomplete?: string | undefined;
  /** Protected files that `git` wrote in its working tree. */
  protectedFiles: readonly string[];
  /** Reports whether every file, directory and link that the command read is unchanged since. */
  isCurrent(): Promise<boolean>;
  /** Applies the changes. @throws {FileSystemError} of the files */
  commit(): Promise<void>;
}

/**
 * Runs a command on copies: its changes stay in memory until `commit`, and commands that reach beyond files are
 * refused. `undefined` when the shell can't run over other files, as a native one. Takes at most 1.5 s (and what
 * `signal` leaves of it); a longer command is ended and the outcome is incomplete.
 */
export async function dryRun(
  { fs, shell }: { fs: FileSystem; shell: Shell },
  command: string,
  options: ShellOptions,
): Promise<DryRun | undefined> {
  if (!shell.over) return undefined;
  const observed = observeFiles(fs);
  const overlay = new OverlayFileSystem(observed.fs);
  const refusals: string[] = [];
  const protectedFiles = new Set<string>();
  const full = new AbortController();
  const copies = withQuota(overlay, MAX_WRITTEN_BYTES, () => {
    refusals.push("it writes too much for a dry run");
    full.abort();
  });
  const result = await shell.over(copies).exec(command, {
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, full.signal]) : full.signal,
    rules: dryRules(options.rules, shell.beyondFiles ?? [], {
      onRefusal: (why) => refusals.push(why),
      onProtected: (path) => protectedFiles.add(path),
    }),
    timeoutMs: Math.min(options.timeoutMs ?? MAX_MS, MAX_MS),
  });
  const changes = await overlay.changes();
  const observation = observed.end();
  const incomplete = whyIncomplete(result, changes, refusals[0], observation, options);
  return {
    result,
    changes,
    incomplete,
    protectedFiles: withoutParents(protectedFiles),
    isCurrent: () => observation.isCurrent(),
    commit: () => overlay.commit(),
  };
}

/** The paths without directories above others. */
function withoutParents(paths: ReadonlySet<string>): string[] {
  const sorted = [...paths].toSorted();
  return sorted.filter((path) => !sorted.some((other) => other !== path && isWithin(path, other)));
}

function whyIncomplete(
  result: ShellResult,
  changes: readonly FileSystemChange[],
  refusal: string | undefined,
  { isComplete }: Observation,
  { signal }: ShellOptions,
): string | undefined {
  if (signal?.aborted) return "it was stopped";
  if (result.timedOut) return "it takes too long for a dry run";
  if (refusal !== undefined) return refusal;
  if (!isComplete) return "it reads too many files for a dry run";
  const bytes = changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  const isLarge = changes.length > MAX_CHANGES || bytes > MAX_CHANGED_BYTES;
  return isLarge ? "it changes too much for a dry run" : undefined;
}

/** The session's rules, without the commands that have no dry run, and without any network. */
function dryRules(
  rules: AccessRules | undefined,
  beyondFiles: readonly string[],
  { onRefusal, onProtected }: Record<"onRefusal" | "onProtected", (text: string) => void>,
): AccessRules {
  const noted = (why: string | undefined): string | undefined => {
    if (why !== undefined) onRefusal(why);
    return why;
  };
  return {
    refusesFile: (path, kind) => noted(rules?.refusesFile(path, kind)),
    refusesGitFile: (path, kind) =>
      noted(
        rules?.refusesGitFile ? rules.refusesGitFile(path, kind) : rules?.refusesFile(path, kind),
      ),
    refusesWorktreeFile(path, write) {
      const refused = rules?.refusesFile(path, "write");
      if (refused === undefined || !rules?.refusesWorktreeFile) return noted(refused);
      const evenThen = noted(rules.refusesWorktreeFile(path, { ...write, asIfApproved: true }));
      if (evenThen === undefined) onProtected(path);
      return evenThen;
    },
    refusesCommand(words, cwd) {
      const [command = ""] = words;
      const reaches = beyondFiles.includes(basename(command));
      return noted(
        reaches
          ? `${command} reaches beyond files, so it has no dry run`
          : rules?.refusesCommand(words, cwd),
      );
    },
    refusesAddress: (url) =>
      noted(rules?.refusesAddress?.(url) ?? `it needs ${new URL(url).host}, so it has no dry run`),
  };
}
