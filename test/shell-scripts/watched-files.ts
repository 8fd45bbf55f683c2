import { MemoryFileSystem } from "@robota/runtime/virtual";

type Files = MemoryFileSystem;

/** Files that note what was read and changed in them, as a guard is asked about it: `read /path`, `write /path`. */
export class WatchedFiles extends MemoryFileSystem {
  readonly touched = new Set<string>();

  override readFile(...args: Parameters<Files["readFile"]>): ReturnType<Files["readFile"]> {
    return this.#note("read", args[0], super.readFile(...args));
  }

  override open(...args: Parameters<Files["open"]>): ReturnType<Files["open"]> {
    return this.#note("read", args[0], super.open(...args));
  }

  override async readMany(...args: Parameters<Files["readMany"]>): ReturnType<Files["readMany"]> {
    const found = await super.readMany(...args);
    for (const [index, bytes] of found.entries())
      if (bytes) this.touched.add(`read ${args[0][index]}`);
    return found;
  }

  override writeFile(...args: Parameters<Files["writeFile"]>): ReturnType<Files["writeFile"]> {
    return this.#note("write", args[0], super.writeFile(...args));
  }

  override appendFile(...args: Parameters<Files["appendFile"]>): ReturnType<Files["appendFile"]> {
    return this.#note("write", args[0], super.appendFile(...args));
  }

  override mkdir(...args: Parameters<Files["mkdir"]>): ReturnType<Files["mkdir"]> {
    return this.#note("write", args[0], super.mkdir(...args));
  }

  override remove(...args: Parameters<Files["remove"]>): ReturnType<Files["remove"]> {
    return this.#note("write", args[0], super.remove(...args));
  }

  override rename(...args: Parameters<Files["rename"]>): ReturnType<Files["rename"]> {
    return this.#note("write", args[0], this.#note("write", args[1], super.rename(...args)));
  }

  override symlink(...args: Parameters<Files["symlink"]>): ReturnType<Files["symlink"]> {
    return this.#note("write", args[1], super.symlink(...args));
  }

  override chmod(...args: Parameters<Files["chmod"]>): ReturnType<Files["chmod"]> {
    return this.#note("write", args[0], super.chmod(...args));
  }

  override utimes(...args: Parameters<Files["utimes"]>): ReturnType<Files["utimes"]> {
    return this.#note("write", args[0], super.utimes(...args));
  }

  async #note<Result>(kind: string, path: string, work: Promise<Result>): Promise<Result> {
    const result = await work;
    this.touched.add(`${kind} ${path}`);
    return result;
  }
}
