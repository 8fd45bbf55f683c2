/** Inodes per page: few enough that a page stays far below the size that the browser moves into a separate file. */
const PAGE_INODES = 256;
const MIN_RECORDS = 256;
const RECORDS_PER_PAGE = 8;
const MAX_BYTES = 4 * 1024 * 1024;

/** The first inode number on a page, and the first one behind it. */
export function pageRange(page: number): [first: number, end: number] {
  return [page * PAGE_INODES, (page + 1) * PAGE_INODES];
}

/** Records stored since the last packing: opening the workspace has to read them one by one. */
export class UnpackedChanges {
  /** Outdated pages. */
  readonly pages = new Set<number>();
  #records = 0;
  #bytes = 0;

  /** Counts one record, with so many bytes of a file in it. */
  add(inos: Iterable<number>, bytes: number): void {
    this.#records += 1;
    this.#bytes += bytes;
    for (const ino of inos) this.pages.add(pageOf(ino));
  }

  /** True when it is time to repack: often enough for a fast opening, and a small part of all writes. */
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
