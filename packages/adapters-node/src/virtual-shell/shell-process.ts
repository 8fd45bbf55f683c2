import { serveShell, type ShellCommand, type ToWorker } from "@robota/shell";
import { startWatchdog } from "./watchdog.ts";

// Child process of `nodeVirtualShell`: runs commands over the files of its parent, and ends with it.
const [parent, maxMegabytes, commands] = process.argv.slice(2);
const wake = startWatchdog({ parent: Number(parent), maxMegabytes: Number(maxMegabytes) });
process.on("disconnect", () => process.exit());

const custom: { customCommands?: ShellCommand[] } =
  commands === undefined ? {} : await import(commands);

serveShell(
  {
    post(message) {
      if (message.type === "progress" && message.progress.type !== "output") freeMemory();
      // Sending fails only when the parent is gone.
      process.send?.(message, undefined, undefined, () => {});
    },
    listen: (listener) =>
      process.on("message", (message: ToWorker) => {
        wake();
        listener(message);
      }),
  },
  custom.customCommands ? { customCommands: custom.customCommands } : {},
);

/** Gives back what a command has left behind, for which the watchdog would end the next one. */
function freeMemory(): void {
  if (process.memoryUsage.rss() > (Number(maxMegabytes) * 1024 * 1024) / 2) globalThis.gc?.();
}
