import { FileSystemError } from "@robota/runtime";
import { fromSent, type SentError } from "./errors.ts";
import type { FileOperation } from "./operation.ts";
import type { TabMessage } from "./tab-channel.ts";

interface Request {
  operation: FileOperation;
  timer: ReturnType<typeof setTimeout> | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Changes that a tab requested from the owner of its workspace. Unanswered requests are repeated to a new owner: their
 * ids tell it which ones the previous owner has done, even without an answer.
 */
export class OwnerProxy {
  readonly #post: (message: TabMessage) => void;
  readonly #ownerTimeoutMs: number;
  readonly #requests = new Map<string, Request>();

  constructor(post: (message: TabMessage) => void, ownerTimeoutMs: number) {
    this.#post = post;
    this.#ownerTimeoutMs = ownerTimeoutMs;
  }

  /** Resolves when the owner has stored it. @throws {FileSystemError} the owner's own, or `EBUSY` when none answers */
  send(operation: FileOperation): Promise<void> {
    return new Promise((resolve, reject) => {
      // Ids sort by time, so that the owner forgets the oldest first.
      const id = `${Date.now()}-${crypto.randomUUID()}`;
      const request = {
        operation: { ...operation, request: id },
        timer: undefined,
        resolve,
        reject,
      };
      this.#requests.set(id, request);
      this.#ask(id, request);
    });
  }

  /** The owner will answer. */
  accepted(id: string): void {
    clearTimeout(this.#requests.get(id)?.timer);
  }

  done(id: string, error?: SentError): void {
    const request = this.#take(id);
    if (error) request?.reject(fromSent(error));
    else request?.resolve();
  }

  /** Another tab has become the owner. */
  ownerChanged(): void {
    for (const [id, request] of this.#requests) this.#ask(id, request);
  }

  /** This tab has become the owner. */
  becomeOwner(run: (operation: FileOperation) => Promise<void>): void {
    for (const id of this.#requests.keys()) {
      const request = this.#take(id);
      if (request) run(request.operation).then(request.resolve, request.reject);
    }
  }

  #ask(id: string, request: Request): void {
    clearTimeout(request.timer);
    request.timer = setTimeout(() => this.#giveUp(id), this.#ownerTimeoutMs);
    // The owner ignores late requests: by then the caller has been notified of their failure.
    const until = Date.now() + this.#ownerTimeoutMs / 2;
    this.#post({ type: "request", id, operation: request.operation, until });
  }

  #giveUp(id: string): void {
    const request = this.#take(id);
    request?.reject(
      new FileSystemError("EBUSY", operationPath(request.operation), {
        hint: "Another tab has this workspace open for writing and does not answer. Close that tab or bring it to the front, then try again.",
      }),
    );
  }

  #take(id: string): Request | undefined {
    const request = this.#requests.get(id);
    clearTimeout(request?.timer);
    this.#requests.delete(id);
    return request;
  }
}

/** The path that an operation's errors are about. */
export function operationPath(operation: FileOperation): string {
  return operation.type === "rename" ? operation.from : operation.path;
}
