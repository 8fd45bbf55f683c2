export { LANGUAGE } from "../../context/language-name.ts";

/** ISO 639-1, and the three-letter codes of languages with many speakers that have no shorter one. */
const CODES =
  "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu yue fil ceb hmn haw".split(
    " ",
  );
const TAG = /^([a-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}))?$/;

let names: ReadonlySet<string> | undefined;

/**
 * True for a text that is certainly the name of a language: its tag, such as `pt-BR`, or its name in English or in
 * itself, such as `German` or `Deutsch`. An unknown name may be one all the same.
 */
export function isKnownLanguage(text: string): boolean {
  const [isTag, code = "", script, region] = TAG.exec(text) ?? [];
  if (isTag !== undefined)
    return CODES.includes(code) && isKnown("script", script) && isKnown("region", region);
  names ??= new Set(CODES.flatMap(namesOf));
  return names.has(text.toLowerCase());
}

function isKnown(type: "script" | "region", part: string | undefined): boolean {
  if (part === undefined) return true;
  return new Intl.DisplayNames(["en"], { type, fallback: "none" }).of(part) !== undefined;
}

function namesOf(code: string): string[] {
  const inEnglish = nameIn("en", code);
  const inItself = nameIn(code, code);
  return [inEnglish, inItself].flatMap((name) => (name === undefined ? [] : [name.toLowerCase()]));
}

function nameIn(locale: string, code: string): string | undefined {
  return new Intl.DisplayNames([locale], { type: "language", fallback: "none" }).of(code);
}
