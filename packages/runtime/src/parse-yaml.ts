export interface YamlOptions {
  /** Reads `<<` as the keys of another map. */
  merge?: boolean;
  /** Maximum number of references; 100 when omitted. */
  maxAliasCount?: number;
}

/**
 * Parses YAML, whose keys are texts or numbers, none of them twice. The package's own `parse` compares each key with all
 * others, and writes a list or a map that is a key as text, each with all within: short texts of strangers would take minutes.
 * @throws {Error} for text that is not such YAML
 */
export async function parseYaml(
  text: string,
  { merge = false, maxAliasCount = 100 }: YamlOptions = {},
): Promise<unknown> {
  const { isScalar, parseDocument, visit } = await import("yaml");
  const document = parseDocument(text, { merge, schema: "core", uniqueKeys: false });
  const [problem] = document.errors;
  if (problem) throw problem;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) throw new Error("A key is neither text nor number");
        if (keys.has(key.value) && !(merge && key.value === "<<"))
          throw new Error(`Map keys must be unique, and ${String(key.value)} is there twice`);
        keys.add(key.value);
      }
    },
  });
  return document.toJS({ maxAliasCount }) as unknown;
}
