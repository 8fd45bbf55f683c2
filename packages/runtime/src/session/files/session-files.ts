import type { FileSystem } from "../../ports/file-system.ts";
import { ShellError } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Shell } from "../../ports/shell.ts";
import { assemblePlatform, type PlatformParts } from "../../ports/assemble.ts";
import type { FileHistory } from "./file-history.ts";
import type { Payloads } from "./payloads.ts";
import { SessionShell } from "./session-shell.ts";
import { TrackedFileSystem } from "./tracked-file-system.ts";
import { TrackedShell } from "./tracked-shell.ts";

/** The files of a session that can be rewound. */
export class SessionFiles {
  /** The platform for a session's tools: their file changes are recorded, however they are made. */
  readonly platform: Platform;
  /** Records every change made through it. */
  readonly fs: TrackedFileSystem;
  readonly payloads: Payloads;
  readonly #host: Platform;
  readonly #shell: SessionShell | undefined;

  constructor(given: PlatformParts, platform: Platform, history: FileHistory) {
    this.#host = platform;
    this.fs = new TrackedFileSystem(platform.fs, history);
    this.payloads = history.payloads;
    this.#shell = trackedShell(given, platform, this.fs, history);
    this.platform = assemblePlatform({ platform, fs: this.fs, shell: this.#shell });
  }

  /** Works on other files from now on. Programs of a machine can't see them: commands run in its shell's virtual one then. */
  async moveTo(files: FileSystem): Promise<void> {
    this.fs.moveTo(files);
    if (this.#shell?.kind !== "native") return;
    this.#shell.replace(this.#host.shell.virtual?.(this.fs) ?? unmovableShell);
  }
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
  { shell, fs }: Platform,
  tracked: FileSystem,
  history: FileHistory,
): SessionShell | undefined {
  if (!given.platform || given.fs || given.shell) return undefined;
  if (shell.over) return new SessionShell(shell.over(tracked));
  if (shell.kind !== "native") return undefined;
  return new SessionShell(new TrackedShell(shell, fs, history));
}
