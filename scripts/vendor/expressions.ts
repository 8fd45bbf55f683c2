/** Built into just-bash by `scripts/vendor.ts` to replace RE2 when the host's own engine is as safe. */
import { type NativeRegExp, nativeRegExp } from "../../packages/runtime/src/native-regexp.ts";

/** The part of RE2's matcher that the interpreter uses. */
interface Matcher {
  readonly matcherInput: { charSequence: string };
  reset(): Matcher;
  find(start?: number): boolean;
  group(group?: number | string): string | null;
  start(group?: number): number;
  end(group?: number): number;
}

interface LinearPattern {
  matcher(text: string): Matcher;
  groupCount(): number;
  namedGroups(): Record<string, number>;
}

const IGNORES_CASE = 1;
const DOT_ALL = 2;
const MULTILINE = 4;

/** Returns `linear`, or a matcher that uses the host's own engine for expressions and texts where it is as safe. */
export function quickened(linear: LinearPattern, source: string, flags: number): LinearPattern {
  const isCaseIgnored = (flags & IGNORES_CASE) !== 0;
  const quick =
    (flags & MULTILINE) === 0
      ? nativeRegExp(source, { ignoreCase: isCaseIgnored, dotAll: (flags & DOT_ALL) !== 0 })
      : undefined;
  if (!quick) return linear;
  let expression: RegExp;
  try {
    expression = new RegExp(quick.source, `gsu${isCaseIgnored ? "i" : ""}`);
  } catch {
    return linear;
  }
  return {
    groupCount: () => linear.groupCount(),
    namedGroups: () => linear.namedGroups(),
    matcher: (text) => quickMatcher(linear, quick, expression, text),
  };
}

function quickMatcher(
  linear: LinearPattern,
  { needle, longest }: NativeRegExp,
  expression: RegExp,
  text: string,
): Matcher {
  let input = text;
  let next = 0;
  let match: RegExpExecArray | null = null;
  let other: Matcher | undefined;
  const matched = (): RegExpExecArray => {
    if (!match) throw new Error("nothing was found");
    return match;
  };
  /** Falls back to the linear engine for features that only it has. */
  const linearly = (from: number): Matcher => {
    if (!other) {
      other = linear.matcher(input);
      other.find(from);
    }
    return other;
  };
  return {
    matcherInput: {
      get charSequence() {
        return input;
      },
      set charSequence(value) {
        input = value;
      },
    },
    reset() {
      [next, match, other] = [0, null, undefined];
      return this;
    },
    find(start = next) {
      [match, other] = [null, undefined];
      if (needle !== "" && !input.includes(needle, start)) return false;
      if (input.length <= longest) {
        expression.lastIndex = start;
        match = expression.exec(input);
        if (!match) return false;
      }
      // From within a surrogate pair, the host starts before it.
      if (!match || match.index < start) {
        match = null;
        other = linear.matcher(input);
        if (!other.find(start)) return false;
      }
      const [from, to] = [this.start(0), this.end(0)];
      next = to > from ? to : to + 1;
      return true;
    },
    group(group = 0) {
      if (other && !match) return other.group(group);
      return typeof group === "number"
        ? (matched()[group] ?? null)
        : linearly(matched().index).group(group);
    },
    start(group = 0) {
      if (other && !match) return other.start(group);
      return group === 0 ? matched().index : linearly(matched().index).start(group);
    },
    end(group = 0) {
      if (other && !match) return other.end(group);
      const { index, 0: whole } = matched();
      return group === 0 ? index + whole.length : linearly(index).end(group);
    },
  };
}
