import { defined } from "../../defined.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SessionEventBody } from "./events.ts";
import type { HeaderParts, HeaderWriter } from "../store/header-writer.ts";
import type { SessionLog } from "./log.ts";
import type { SessionOptions } from "../options.ts";
import { closed } from "./refusals.ts";

export interface SessionWriterParts extends HeaderParts {
  readonly options: SessionOptions;
  readonly hasStorage: boolean;
  readonly log: SessionLog;
  readonly tools: ReadonlyMap<string, Tool>;
}

/**
 * Writes a session down: it comes into being with its first event, comes back with the first one after it was opened,
 * and its header follows.
 */
export class SessionWriter {
  readonly #parts: SessionWriterParts;
  #header: HeaderWriter | undefined;
  #resumes = false;
  #isClosed = false;
  /** The write of the session's first event, or of the first one since it was opened. */
  #beginning: Promise<void> | undefined;
  /** The last turn whose start was numbered. */
  #begunTurn: string | undefined;

  constructor(parts: SessionWriterParts) {
    this.#parts = parts;
    parts.log.subscribe((event) => {
      if (event.type === "permission_decision") this.#header?.save();
      if (event.type !== "permission_request") return;
      // A list of sessions shows pending approvals first, also in a page that is loaded again right now.
      this.#header?.save();
      void this.#header?.settled();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Refuses all later writes but `end`. */
  close(): void {
    this.#isClosed = true;
  }

  /** Viewing a session that ended well writes nothing; the resumption is recorded with the first event. */
  resumeLater(): void {
    this.#resumes = true;
  }

  /** Brings the session into being by other means, such as an import; commits wait for its end. */
  async beginWith(work: () => Promise<void>): Promise<void> {
    while (this.#beginning) await this.#beginning.catch(() => undefined);
    this.#beginning = work();
    try {
      await this.#beginning;
    } finally {
      this.#beginning = undefined;
    }
  }

  /** @throws {SessionError} `CLOSED` @throws {StorageError} nothing was shown then */
  async commit(...bodies: SessionEventBody[]): Promise<void> {
    // Such as a prompt that is queued while the first turn begins: it must neither begin the session again, nor go
    // without its beginning when that fails.
    while (this.#beginning) await this.#beginning.catch(() => undefined);
    if (this.#isClosed) throw closed();
    const { state } = this.#parts;
    if (state.isInitialised && !this.#resumes) return this.#write(bodies);
    if (!state.isInitialised) bodies.unshift(this.initialEvent());
    if (this.#resumes) bodies.unshift({ type: "session_resume", cut: false });
    this.#beginning = this.#write(bodies);
    try {
      await this.#beginning;
      this.#resumes = false;
    } finally {
      this.#beginning = undefined;
    }
  }

  /** Prompts that are queued while a turn begins, of which nothing is recorded yet, belong to no turn. */
  #write(bodies: readonly SessionEventBody[]): Promise<void> {
    const { log } = this.#parts;
    const { turnId } = log;
    if (bodies.some(({ type }) => type === "turn_start")) this.#begunTurn = turnId;
    const isOfTurn = turnId === this.#begunTurn || turnId === this.#parts.state.turn?.turnId;
    if (!isOfTurn && bodies.some(({ type }) => type === "queue_update")) log.turnId = undefined;
    // Numbers its events before it returns.
    const written = log.commit(...bodies);
    log.turnId = turnId;
    return written;
  }

  /** Records that the session was shut down, when anything was recorded since it was opened. */
  async end(reason: string): Promise<void> {
    const { log, state } = this.#parts;
    if (!this.#resumes && state.isInitialised && !log.sealed)
      await log.commit({ type: "session_shutdown", reason });
    await this.#header?.settled();
  }

  /** Asks for the header to be written. `make` comes with who asks: a session that is only opened does not load it. */
  saveHeader(make: (parts: HeaderParts) => HeaderWriter): void {
    const { hasStorage, state } = this.#parts;
    if (hasStorage && state.isInitialised) (this.#header ??= make(this.#parts)).save();
  }

  /** The event that records the session's start. */
  initialEvent(): SessionEventBody {
    const { options, state, tools } = this.#parts;
    return defined({
      type: "session_init",
      cwd: state.cwd,
      systemMessage: state.systemMessage,
      projectInstructions: state.projectInstructions || undefined,
      promptReport: state.promptReport,
      language: state.language,
      provider: options.provider.name,
      model: options.provider.model,
      permissionMode: state.mode,
      tools: Array.from(tools.keys()),
    });
  }
}
