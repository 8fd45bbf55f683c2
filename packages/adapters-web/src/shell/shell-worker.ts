import { type FromThread, serveShell, type ToThread } from "@robota/shell";

/** The worker of `workerShell`: runs commands over the files of the page that started it. */
serveShell({
  post: (message: FromThread, transfer) => postMessage(message, { transfer: [...transfer] }),
  listen: (listener) =>
    addEventListener("message", ({ data }: MessageEvent<ToThread>) => listener(data)),
});
