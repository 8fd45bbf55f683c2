import "./disposal.ts";
import { type FromWorker, serveShell, type ToWorker } from "@robota/shell";

/** The worker of `workerShell`: runs commands over the files of the page that started it. */
serveShell({
  post: (message: FromWorker, transfer) => postMessage(message, { transfer: [...transfer] }),
  listen: (listener) =>
    addEventListener("message", ({ data }: MessageEvent<ToWorker>) => listener(data)),
});
