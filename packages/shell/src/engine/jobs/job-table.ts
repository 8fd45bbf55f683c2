import type { Ending } from "./ending.ts";

/** A process that runs beside the shell that started it. */
export interface Job {
  readonly number: number;
  readonly id: number;
  readonly text: string;
  readonly end: Promise<number>;
  readonly ending: Ending;
  status: number | undefined;
}

const NONE: readonly Job[] = [];

/** The jobs of a shell. A subshell lists those of its parent, and can't wait for them. */
export class JobTable {
  /** In the order of their start. Replaced, never changed, since tables share it. */
  #listed: readonly Job[] = NONE;
  /** Jobs that can be waited for, by process: listed ones, and those that were waited for. */
  #own: Map<number, Job> | undefined;

  add({ id, text, ending }: Pick<Job, "id" | "text" | "ending">, end: Promise<number>): Job {
    const number = (this.#listed.at(-1)?.number ?? 0) + 1;
    const job: Job = {
      number,
      id,
      text,
      ending,
      status: undefined,
      end: end.then((status) => (job.status = status)),
    };
    this.#listed = [...this.#listed, job];
    (this.#own ??= new Map()).set(id, job);
    return job;
  }

  get listed(): readonly Job[] {
    return this.#listed;
  }

  /** The listed jobs of this shell itself. */
  get own(): readonly Job[] {
    return this.#listed.filter((job) => this.isOwn(job));
  }

  isOwn(job: Job): boolean {
    return this.#own?.get(job.id) === job;
  }

  /** A job that can be waited for, by its process. */
  byId(id: number): Job | undefined {
    return this.#own?.get(id);
  }

  /**
   * Jobs by what stands behind the `%` of a specification: a number, `+`, `-`, the start of the text, or `?` and a part of
   * it. More than one are ambiguous.
   */
  named(name: string): readonly Job[] {
    if (/^[%+]?$/.test(name)) return this.#listed.slice(-1);
    if (name === "-") return this.#listed.slice(-2, this.#listed.length > 1 ? -1 : undefined);
    if (/^\d+$/.test(name)) return this.#listed.filter(({ number }) => number === Number(name));
    return this.#listed.filter(({ text }) =>
      name.startsWith("?") ? text.includes(name.slice(1)) : text.startsWith(name),
    );
  }

  /** The mark of the current job, and of the one before it. */
  markOf(job: Job): string {
    if (this.#listed.at(-1) === job) return "+";
    return this.#listed.at(-2) === job ? "-" : " ";
  }

  /** Lists a job no longer, whose status stays known. */
  remove(job: Job): void {
    this.#listed = this.#listed.filter((one) => one !== job);
  }

  /** Forgets a job. */
  disown(job: Job): void {
    this.remove(job);
    if (this.isOwn(job)) this.#own?.delete(job.id);
  }

  /** Forgets the jobs of this shell. */
  clear(): void {
    this.#own = undefined;
    this.#listed = NONE;
  }

  fork(): JobTable {
    const table = new JobTable();
    table.#listed = this.#listed;
    return table;
  }
}
