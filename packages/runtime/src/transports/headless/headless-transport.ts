import { ConfigurationError } from "../../errors.ts";
import type { ClientSession } from "../../interactive/client-session.ts";
import type { TransportAdapter } from "../../interactive/transport-adapter.ts";
import type { HeadlessOptions } from "./headless-options.ts";
import { HeadlessRun } from "./headless-run.ts";

/** Runs a session without a person: text or lines of JSON in, an answer or lines of JSON out, and an exit code. */
export interface HeadlessTransport extends TransportAdapter {
  attach(session: ClientSession): void;
  /** Resolves when all input was worked on and the session is closed. */
  readonly exitCode: Promise<number>;
}

/** Runs a session without a person: text or lines of JSON in and out, an exit code at the end. */
export function headlessTransport(options: HeadlessOptions): HeadlessTransport {
  const exitCode = Promise.withResolvers<number>();
  // The caller that starts it may not wait for its end.
  exitCode.promise.catch(() => undefined);
  let session: ClientSession | undefined;
  return {
    name: "headless",
    exitCode: exitCode.promise,
    attach: (attached) => void (session = attached),
    async start() {
      if (!session) {
        throw new ConfigurationError("The transport has no session", {
          hint: "Call session.attachTransport(transport) before it is started.",
        });
      }
      new HeadlessRun(session, options).run().then(exitCode.resolve, exitCode.reject);
    },
    async stop() {
      session?.abort();
    },
  };
}
