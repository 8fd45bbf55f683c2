import type { SessionHeader } from "../session/header.ts";
import type { SessionRecord } from "../session/record.ts";

/** What a session is known by. `Session` and `InteractiveSession` are ones. */
export interface ISession {
  readonly sessionId: string;
}

/** Where records of sessions are kept. `SessionStore` is one. */
export interface ISessionStore {
  save(record: SessionRecord): Promise<void>;
  /** Resolves to `undefined` when there is no such session. */
  load(id: string): Promise<SessionRecord | undefined>;
  /** Newest first. */
  list(): Promise<SessionHeader[]>;
  /** Silent when there is no such session. */
  delete(id: string): Promise<void>;
}

/** Something that shows that work goes on. */
export interface ISpinner {
  stop(): void;
  update(message: string): void;
}

/** What a program that talks to a person in a terminal offers. */
export interface ITerminalOutput {
  write(text: string): void;
  writeLine(text: string): void;
  writeError(text: string): void;
  /** Resolves to what the person typed. */
  prompt(question: string): Promise<string>;
  /** Resolves to the place of the chosen option, the first at 0. */
  select(options: string[], initialIndex?: number): Promise<number>;
  spinner(message: string): ISpinner;
}
