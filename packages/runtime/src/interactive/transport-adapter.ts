import type { InteractiveSession } from "./interactive-session.ts";

/** Connects a session to clients elsewhere. */
export interface TransportAdapter {
  /** Name of the transport, such as `http`, `ws`, `mcp`, `headless`. */
  readonly name: string;
  attach(session: InteractiveSession): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
