import { ShellError } from "../errors.ts";
import type { Shell } from "../ports/shell.ts";

/** The shell of a platform that was given none. */
export const missingShell: Shell = {
  kind: "virtual",
  exec: async (command) => {
    throw new ShellError(`This platform has no shell to run: ${command}`, {
      hint: "Pass `shell`, or take memoryPlatform from @robota/shell/testing, which has one.",
    });
  },
};
