import { parentPort } from "node:worker_threads";
import { serveShell, type ToThread } from "@robota/shell";

/** The thread of `nodeVirtualShell`: runs commands over the files of the thread that started it. */
serveShell({
  post: (message, transfer) => parentPort?.postMessage(message, [...transfer]),
  listen: (listener) => parentPort?.on("message", (message: ToThread) => listener(message)),
});
