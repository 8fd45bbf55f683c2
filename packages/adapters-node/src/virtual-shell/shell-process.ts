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
    // Sending fails only when the parent is gone.
    post: (message) => process.send?.(message, undefined, undefined, () => {}),
    listen: (listener) =>
      process.on("message", (message: ToWorker) => {
        wake();
        listener(message);
      }),
  },
  custom.customCommands ? { customCommands: custom.customCommands } : {},
);
