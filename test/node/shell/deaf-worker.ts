import { parentPort } from "node:worker_threads";
import { serveShell, type ToThread } from "@robota/shell";

/** A thread with a command that never looks whether it has to end, as one long call of the host's engine is, and one that takes all memory. */
serveShell(
  {
    post: (message, transfer) => parentPort?.postMessage(message, [...transfer]),
    listen: (listener) => parentPort?.on("message", (message: ToThread) => listener(message)),
  },
  {
    customCommands: [
      {
        name: "deaf",
        run() {
          for (;;);
        },
      },
      {
        name: "hungry",
        run() {
          const kept: object[][] = [];
          for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
        },
      },
    ],
  },
);
