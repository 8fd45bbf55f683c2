import { nativeRegExp } from "@robota/runtime/ports";
import { isAmbiguous } from "../../commands/search/ambiguity.ts";
import { compilePerlGroups } from "../../commands/search/pattern.ts";
import { translatePosix } from "../../commands/search/posix.ts";

/** The longest text for the host's engine where one repetition may begin anywhere. */
const LONGEST = 10_000;

/** A pattern behind `=~` that is not a regular expression; the status is 2. */
export class RegularExpressionError extends Error {
  override readonly name = "RegularExpressionError" as const;
}

/**
 * The first match of a POSIX extended regular expression, with its groups. It takes time in proportion to the text,
 * whatever the expression. Quoted characters in it come with a backslash.
 */
export async function findGroups(
  source: string,
  text: string,
  { ignoresCase }: { ignoresCase: boolean },
): Promise<(string | undefined)[] | undefined> {
  const translated = translatePosix(withPlainSets(source), {
    isExtended: true,
    isWide: true,
    isStrict: true,
  });
  // Rejects what is no expression, in the host's words and before the other engine loads.
  const own = new RegExp(translated, ignoresCase ? "isu" : "su");
  const quick = nativeRegExp(translated, { ignoreCase: ignoresCase });
  const longest = quick?.longest ?? (isSimple(translated) ? LONGEST : 0);
  if (text.length <= longest && !isAmbiguous(translated, ignoresCase))
    return own.exec(text) ?? undefined;
  const options = { isCaseIgnored: ignoresCase, isMultiline: false, isLongest: true };
  const groups = (await compilePerlGroups(translated, options)).find(text, 0);
  return groups?.map(([start, end]) => (start < 0 ? undefined : text.slice(start, end)));
}

/** Reports whether nothing in the expression repeats a part that itself varies. */
function isSimple(translated: string): boolean {
  const plain = translated.replace(/\\./g, "_").replace(/\[(?:\\.|[^\]\\])*\]/g, "_");
  return (plain.match(/[*+?{]/g)?.length ?? 0) <= 1 && !/\)[*+?{]/.test(plain);
}

/** The expression without the backslashes that quote members of sets, where POSIX takes a backslash itself. */
function withPlainSets(source: string): string {
  return source.replace(
    /\\[^]|\[\^?(?:\]|\\\])?(?:\[:\w+:\]|\[([.=])[^]*?\1\]|\\[^]|[^\]\\])*\]/g,
    (part) =>
      part.startsWith("[")
        ? part.replace(/\\([\^$\\.*+?()[\]{}|])/g, (_, member: string) => `[.${member}.]`)
        : part,
  );
}
