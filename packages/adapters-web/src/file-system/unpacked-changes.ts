/** Inodes on one page: few enough that a page stays far below what the browser moves into a file of its own. */
const PAGE_INODES = 256;
const MIN_RECORDS = 256;
const RECORDS_PER_PAGE = 8;
const MAX_BYTES = 4 * 1024 * 1024;

/** The first inode number on a page, and the first one behind it. */
export function pageRange(page: number): [first: number, end: number] {
  return [page * PAGE_INODES, (page + 1) * PAGE_INODES];
}

/** What was stored of a tree since its pages were: whoever opens it has to read that one by one. */
export class UnpackedChanges {
  /** Those that are out of date. */
  readonly pages = new Set<number>();
  #records = 0;
  #bytes = 0;

  /** One record, with so many bytes of a file in it. */
  add(inos: Iterable<number>, bytes: number): void {
    this.#records += 1;
    this.#bytes += bytes;
    for (const ino of inos) this.pages.add(pageOf(ino));
  }

  /** Whether it is time to store the pages anew: often enough to open quickly, and a small part of what is written. */
  get isLong(): boolean {
    const many = Math.max(MIN_RECORDS, RECORDS_PER_PAGE * this.pages.size);
    return this.#records >= many || this.#bytes >= MAX_BYTES;
  }

  clear(): void {
    this.pages.clear();
    this.#records = 0;
    this.#bytes = 0;
  }
}

function pageOf(ino: number): number {
  return Math.floor(ino / PAGE_INODES);
}
