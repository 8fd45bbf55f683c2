import { SessionError } from "../../errors.ts";
import type { PermissionResult } from "../../permissions/permission.ts";
import { callHandler, type PermissionHandler } from "../../session/approvals/answers.ts";
import type { PermissionRequest } from "../../session/log/events.ts";

export interface HandlerAnswersOptions {
  isOpen: (requestId: string) => boolean;
  resolve: (requestId: string, answer: PermissionResult) => Promise<void>;
  onError: (error: unknown) => void;
}

/** Requests for permission, answered by a program's handler. */
export class HandlerAnswers {
  readonly #handler: PermissionHandler;
  readonly #options: HandlerAnswersOptions;
  /** Requests that the handler has. */
  readonly #asked = new Set<string>();

  constructor(handler: PermissionHandler, options: HandlerAnswersOptions) {
    this.#handler = handler;
    this.#options = options;
  }

  /** Asks once for each request, until that has failed. */
  ask(request: PermissionRequest): void {
    if (this.#asked.has(request.id)) return;
    this.#asked.add(request.id);
    this.#answer(request)
      .catch((error: unknown) => {
        // Somebody else was faster, or it is asked again where the session goes on.
        if (!(error instanceof SessionError)) this.#options.onError(error);
      })
      .finally(() => this.#asked.delete(request.id));
  }

  async #answer(request: PermissionRequest): Promise<void> {
    const { isOpen, resolve } = this.#options;
    const { by: _by, ...given } = await callHandler(this.#handler, request);
    if (isOpen(request.id)) await resolve(request.id, given);
  }
}
