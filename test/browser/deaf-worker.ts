import { type FromWorker, serveShell, type ToWorker } from "@robota/shell";

/** A worker with a command that never looks whether it has to end, as one long call of the host's engine is. */
serveShell(
  {
    post: (message: FromWorker, transfer) => postMessage(message, { transfer: [...transfer] }),
    listen: (listener) =>
      addEventListener("message", ({ data }: MessageEvent<ToWorker>) => listener(data)),
  },
  {
    customCommands: [
      {
        name: "deaf",
        run() {
          for (;;);
        },
      },
    ],
  },
);
