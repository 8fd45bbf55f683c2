import type { FileSystem } from "../../ports/file-system.ts";
import { ShellError } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Shell } from "../../ports/shell.ts";
import { assemblePlatform, type PlatformParts } from "../../ports/assemble.ts";
import { FileHistory, type FileHistoryOptions } from "./file-history.ts";
import type { Payloads } from "./payloads.ts";
import { SessionShell } from "./session-shell.ts";
import { TrackedFileSystem } from "./tracked-file-system.ts";
import { TrackedShell, type TrackedShellOptions } from "./tracked-shell.ts";

/** The files of a session that can be rewound. */
export interface SessionFiles {
  /** Records every change made through it. */
  fs: FileSystem;
  payloads: Payloads;
  /** Works on other files from now on. Programs of a machine can't see them: commands run in its shell's virtual one then. */
  moveTo(files: FileSystem): Promise<void>;
}

export interface TrackingOptions
  extends FileHistoryOptions, Pick<TrackedShellOptions, "root" | "onTooLarge" | "onUncovered"> {}

/** The platform for a session's tools: their file changes are recorded, however they are made. */
export function trackFiles(
  given: PlatformParts,
  platform: Platform,
  { root, onTooLarge, onUncovered, ...options }: TrackingOptions,
): { platform: Platform; files: SessionFiles } {
  const history = new FileHistory(options);
  const fs = new TrackedFileSystem(platform.fs, history);
  const shell = trackedShell(given, platform, fs, {
    fs: platform.fs,
    payloads: options.payloads,
    root,
    record: (changed) => history.recordChanged(changed),
    onTooLarge,
    onUncovered,
  });
  const moveTo = async (files: FileSystem): Promise<void> => {
    fs.moveTo(files);
    if (shell?.kind !== "native") return;
    shell.replace(platform.shell.virtual?.(fs) ?? unmovableShell);
  };
  return {
    platform: assemblePlatform({ platform, fs, shell }),
    files: { fs, payloads: options.payloads, moveTo },
  };
}

/** Replaces a native shell without a virtual counterpart, in a session whose files are not the machine's. */
const unmovableShell: Shell = {
  kind: "virtual",
  exec: async () => {
    throw new ShellError(
      "The files of this session are a copy that programs of the machine can't see",
      {
        hint: "Give the platform's shell a `virtual`, such as (fs) => new VirtualShell({ fs }) of @robota/shell.",
      },
    );
  },
};

/** `undefined`: a custom shell whose files are unknown. */
function trackedShell(
  given: PlatformParts,
  { shell }: Platform,
  fs: FileSystem,
  options: TrackedShellOptions,
): SessionShell | undefined {
  if (!given.platform || given.fs || given.shell) return undefined;
  if (shell.over) return new SessionShell(shell.over(fs));
  return shell.kind === "native" ? new SessionShell(new TrackedShell(shell, options)) : undefined;
}
