import { type FromThread, serveShell, type ToThread } from "@robota/shell";

/** A worker with a command that never looks whether it has to end, as one long call of the host's engine is. */
serveShell(
  {
    post: (message: FromThread, transfer) => postMessage(message, { transfer: [...transfer] }),
    listen: (listener) =>
      addEventListener("message", ({ data }: MessageEvent<ToThread>) => listener(data)),
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
