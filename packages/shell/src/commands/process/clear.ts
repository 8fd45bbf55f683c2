import type { ShellCommand } from "../../command.ts";

/** Clears the screen and what has scrolled out of it. */
export const clear: ShellCommand = {
  name: "clear",
  run: () => ({ stdout: "\u001b[H\u001b[2J\u001b[3J" }),
};
