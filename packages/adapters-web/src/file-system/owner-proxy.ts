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
 * The changes that a tab asked the owner of its workspace to make. What a new owner finds unanswered is asked again: by
 * the name of the request it knows what the former one has done, even when nobody heard of it.
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
      // In the order of their names the owner forgets the oldest first.
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

  /** Another tab owns the workspace now. */
  ownerChanged(): void {
    for (const [id, request] of this.#requests) this.#ask(id, request);
  }

  /** This tab owns the workspace now. */
  becomeOwner(run: (operation: FileOperation) => Promise<void>): void {
    for (const id of this.#requests.keys()) {
      const request = this.#take(id);
      if (request) run(request.operation).then(request.resolve, request.reject);
    }
  }

  #ask(id: string, request: Request): void {
    clearTimeout(request.timer);
    request.timer = setTimeout(() => this.#giveUp(id), this.#ownerTimeoutMs);
    // The owner ignores what it hears too late: by then the caller has been told that it was not done.
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
