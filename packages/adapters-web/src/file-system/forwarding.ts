import { FileSystemError } from "@robota/runtime";
import { fromSent, type SentError } from "./errors.ts";
import type { Operation } from "./operation.ts";
import type { TabMessage } from "./tab-channel.ts";

interface Request {
  operation: Operation;
  isAccepted: boolean;
  timer: ReturnType<typeof setTimeout>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** The changes that a tab asked the owner of its workspace to make. */
export class Forwarding {
  readonly #post: (message: TabMessage) => void;
  readonly #patienceMs: number;
  readonly #requests = new Map<string, Request>();

  constructor(post: (message: TabMessage) => void, patienceMs: number) {
    this.#post = post;
    this.#patienceMs = patienceMs;
  }

  /** Resolves when the owner has stored it. @throws {FileSystemError} the owner's own, or `EBUSY` when none answers */
  send(operation: Operation): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      const timer = setTimeout(() => this.#refuse(id, noAnswer), this.#patienceMs);
      this.#requests.set(id, { operation, isAccepted: false, timer, resolve, reject });
      this.#ask(id, operation);
    });
  }

  accepted(id: string): void {
    const request = this.#requests.get(id);
    if (!request) return;
    request.isAccepted = true;
    clearTimeout(request.timer);
  }

  done(id: string, error?: SentError): void {
    const request = this.#take(id);
    if (error) request?.reject(fromSent(error));
    else request?.resolve();
  }

  /** Another tab owns the workspace now: it is asked what the former owner has not taken on. */
  ownerChanged(): void {
    this.#refuseAccepted();
    for (const [id, { operation }] of this.#requests) this.#ask(id, operation);
  }

  /** This tab owns the workspace now: `run` makes what the former owner has not taken on. */
  becomeOwner(run: (operation: Operation) => Promise<void>): void {
    this.#refuseAccepted();
    for (const id of this.#requests.keys()) {
      const request = this.#take(id);
      if (request) run(request.operation).then(request.resolve, request.reject);
    }
  }

  #ask(id: string, operation: Operation): void {
    // The owner ignores what it hears too late: by then the caller has been told that it was not done.
    const until = Date.now() + this.#patienceMs / 2;
    this.#post({ type: "request", id, operation, until });
  }

  #refuseAccepted(): void {
    const accepted = [...this.#requests].filter(([, { isAccepted }]) => isAccepted);
    for (const [id] of accepted) this.#refuse(id, ownerGone);
  }

  #refuse(id: string, hint: string): void {
    const request = this.#take(id);
    request?.reject(new FileSystemError("EBUSY", operationPath(request.operation), { hint }));
  }

  #take(id: string): Request | undefined {
    const request = this.#requests.get(id);
    clearTimeout(request?.timer);
    this.#requests.delete(id);
    return request;
  }
}

/** The path that an operation's errors are about. */
export function operationPath(operation: Operation): string {
  return operation.type === "rename" ? operation.from : operation.path;
}

const noAnswer =
  "Another tab has this workspace open for writing and does not answer. Close that tab or bring it to the front, then try again.";
const ownerGone =
  "The tab that wrote to this workspace was closed in the middle of this. Look whether it was done before you try again.";
