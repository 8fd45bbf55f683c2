import type { ExpansionBounds } from "./expansion.ts";

/** A piece of a field. Quoted text is not split, and its characters match only themselves. */
export interface Piece {
  readonly text: string;
  readonly isQuoted: boolean;
}

export type Field = readonly Piece[];

const USUAL = " \t\n";
const USUAL_PATTERN = /[ \t\n]/g;

/** Collects the fields of a word while its parts are expanded. */
export class FieldBuilder {
  readonly #fields: Field[] = [];
  /** Matches one separator, from its `lastIndex`. */
  readonly #separator: RegExp;
  #current: Piece[] | undefined;
  /** The last field ended at white space, so that one other separator may follow. */
  #endedAtSpace = false;

  readonly #bounds: ExpansionBounds;
  #length = 0;

  /** @param separators The value of `IFS`. */
  constructor(separators: string, bounds: ExpansionBounds) {
    this.#separator = separatorPattern(separators);
    this.#bounds = bounds;
  }

  /** Adds text that is not split. */
  add(text: string, isQuoted: boolean): void {
    this.#length += text.length;
    this.#bounds.text(this.#length);
    (this.#current ??= []).push({ text, isQuoted });
    this.#endedAtSpace = false;
  }

  /** Adds the result of an expansion, split at the separators. */
  split(text: string): void {
    let start = 0;
    const separator = this.#separator;
    separator.lastIndex = 0;
    while (separator.test(text)) {
      const at = separator.lastIndex - 1;
      if (at > start) this.add(text.slice(start, at), false);
      start = at + 1;
      this.#separate(USUAL.includes(text.charAt(at)));
    }
    if (start < text.length) this.add(text.slice(start), false);
  }

  /** Ends a field, as between the words of `"$@"`. */
  break(): void {
    this.#bounds.words(this.#fields.length);
    if (this.#current) this.#fields.push(this.#current);
    this.#current = undefined;
    this.#endedAtSpace = false;
  }

  end(): Field[] {
    this.break();
    return this.#fields;
  }

  #separate(isSpace: boolean): void {
    if (this.#current) {
      this.#fields.push(this.#current);
      this.#current = undefined;
      this.#endedAtSpace = isSpace;
    } else if (isSpace) return;
    else if (this.#endedAtSpace) this.#endedAtSpace = false;
    else this.#fields.push([{ text: "", isQuoted: true }]);
  }
}

function separatorPattern(characters: string): RegExp {
  if (characters === USUAL) return USUAL_PATTERN;
  return new RegExp(`[${characters.replace(/[\\\]^-]/g, String.raw`\$&`)}]`, "g");
}

export function textOf(field: Field): string {
  return field.length === 1 ? (field[0]?.text ?? "") : field.map(({ text }) => text).join("");
}
