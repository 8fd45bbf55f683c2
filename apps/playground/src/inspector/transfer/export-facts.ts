/** An export's description of itself, shown before it is imported. */
export interface ExportFacts {
  name: string;
  model: string;
  updatedAt: string;
}

/** Characters of each fact: somebody else wrote them. */
const SHOWN = 120;

/** Reads the first line of an export. @throws {Error} for anything else */
export function readFacts(bytes: Uint8Array): ExportFacts {
  const end = bytes.indexOf(10);
  try {
    const header: unknown = JSON.parse(
      new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))),
    );
    const session = fieldOf(header, "session");
    if (typeof fieldOf(header, "format") !== "string" || typeof session !== "object")
      throw new TypeError("It has no header");
    const text = (name: string): string => {
      const value = fieldOf(session, name);
      return typeof value === "string" || typeof value === "number"
        ? String(value).slice(0, SHOWN)
        : "";
    };
    const updated = new Date(text("updatedAt"));
    return {
      name: text("name"),
      model: [text("provider"), text("model")].filter(Boolean).join(" · "),
      updatedAt: Number.isNaN(updated.getTime()) ? "unknown" : updated.toLocaleString(),
    };
  } catch (cause) {
    throw new Error("This is not an exported session.", { cause });
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
