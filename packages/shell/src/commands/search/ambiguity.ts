/** The part of an expression that is read at once. */
const PART = /\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\((?:\?:)?|[^]/g;

/**
 * Tells whether two alternatives of a translated expression can match at the same place, so that the first that matches, which
 * Perl takes, may not be the longest, which POSIX asks for.
 */
export function isAmbiguous(source: string, isCaseIgnored: boolean): boolean {
  if (!source.includes("|")) return false;
  const open: Alternatives[] = [new Alternatives()];
  for (const [part] of (isCaseIgnored ? source.toLowerCase() : source).matchAll(PART)) {
    const current = open.at(-1);
    if (part.startsWith("(")) {
      current?.end();
      open.push(new Alternatives());
    } else if (part === ")") {
      if (open.pop()?.overlap()) return true;
    } else if (part === "|") current?.next();
    else current?.add(part);
  }
  return open.some((alternatives) => alternatives.overlap());
}

/** The literal beginnings of some alternatives. */
class Alternatives {
  readonly #beginnings = [""];
  #isLiteral = true;

  add(part: string): void {
    // A repeated part may be missing.
    if (/^[*?{]$/.test(part) && this.#isLiteral) this.#change((text) => text.slice(0, -1));
    if (/^(?:[*+?{.^$]|\[.*|\\\w)$/s.test(part)) this.end();
    else if (this.#isLiteral) this.#change((text) => text + part.slice(-1));
  }

  end(): void {
    this.#isLiteral = false;
  }

  next(): void {
    this.#beginnings.push("");
    this.#isLiteral = true;
  }

  overlap(): boolean {
    const sorted = this.#beginnings.toSorted();
    return sorted.some((text, at) => at > 0 && text.startsWith(sorted[at - 1] ?? ""));
  }

  #change(change: (text: string) => string): void {
    this.#beginnings.push(change(this.#beginnings.pop() ?? ""));
  }
}
