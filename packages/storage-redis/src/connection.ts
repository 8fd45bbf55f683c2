import type { TypeMapping } from "redis";

/** The parts in use of a client of `redis`, whatever modules, scripts and protocol it was created with. */
export interface RedisConnection {
  readonly isOpen: boolean;
  /** False while it connects, also again. */
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): void;
  /** Another connection with the same settings. */
  duplicate(): RedisConnection;
  sendCommand<Reply>(
    command: readonly (string | Buffer)[],
    options?: { typeMapping?: TypeMapping; timeout?: number },
  ): Promise<Reply>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
}
