import { errorMessage } from "../errors.ts";
import { parseYaml } from "../parse-yaml.ts";

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
/** People write `[issue] [priority]`, which is not YAML. */
const HINT = /^(argument-hint:[ \t]*)(\[.*\S)/m;
const MAX_FRONT_MATTER = 16_000;

/** A file's YAML front matter, and the text behind it without surrounding space. */
export interface FrontMatter {
  fields: ReadonlyMap<string, unknown>;
  body: string;
}

/** Parses the file of an agent, a skill or a command; `undefined` when it begins with no front matter. */
export async function parseFrontMatter(
  text: string,
): Promise<FrontMatter | { problem: string } | undefined> {
  const plain = text.replace(/^\uFEFF/, "");
  const found = FRONT_MATTER.exec(plain);
  if (found?.index !== 0) return undefined;
  const [front, yaml = ""] = found;
  if (yaml.length > MAX_FRONT_MATTER) return { problem: "has too long a front matter" };
  let value: unknown;
  try {
    // Without references, a short text is a small value.
    value = await parseYaml(
      yaml.replace(HINT, (_, key: string, hint: string) => key + JSON.stringify(hint)),
      { maxAliasCount: 0 },
    );
  } catch (error) {
    return { problem: `has invalid YAML front matter: ${errorMessage(error).split("\n")[0]}` };
  }
  return {
    fields: new Map(Object.entries(typeof value === "object" && value !== null ? value : {})),
    body: plain.slice(front.length).trim(),
  };
}
