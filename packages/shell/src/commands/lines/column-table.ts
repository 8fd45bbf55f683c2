type Options = ReadonlyMap<string, string>;
type Pace = (steps?: number) => Promise<void> | undefined;

interface Column {
  readonly name: string;
  readonly at: number;
  readonly isRight: boolean;
}

/** A table of the cells of lines, or with `-J` an object of JSON. */
export async function tableOf(
  lines: readonly string[],
  options: Options,
  pace: Pace,
): Promise<string> {
  const rows: string[][] = [];
  for (const line of lines) {
    const turn = pace(1 + line.length / 64);
    if (turn) await turn;
    rows.push(cellsOf(line, options));
  }
  const names = namesIn(options, "N");
  if (options.has("J") && names.length === 0)
    throw new Error("option --table-columns required for --json");
  if (rows.length === 0) return "";
  const columns = columnsOf(rows, names, options);
  if (options.has("J")) return jsonOf(rows, columns, options.get("n") ?? "table");
  const shown = names.length > 0 && !options.has("d") ? [names, ...rows] : rows;
  const widths = columns.map(({ at }) =>
    shown.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), 0),
  );
  const glue = options.get("o") ?? "  ";
  return shown.map((row) => `${lineOf(row, columns, widths, glue)}\n`).join("");
}

/** The cells of a line: separators each end one, blanks only together. */
function cellsOf(line: string, options: Options): string[] {
  const separators = options.get("s");
  const limit = Number(options.get("l") ?? 0);
  if (separators === undefined) {
    const text = line.trim();
    if (limit === 0) return text === "" ? [] : text.split(/[ \t]+/);
    const cells = text.split(/[ \t]+/);
    if (cells.length <= limit) return cells;
    const [, rest = ""] = new RegExp(`^(?:[^ \\t]+[ \\t]+){${limit - 1}}([^]*)$`).exec(text) ?? [];
    return [...cells.slice(0, limit - 1), rest];
  }
  const cells: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; at++) {
    if (!separators.includes(line.charAt(at)) || (limit > 0 && cells.length === limit - 1))
      continue;
    cells.push(line.slice(start, at));
    start = at + 1;
  }
  return [...cells, line.slice(start)];
}

function namesIn(options: Options, option: string): string[] {
  return options.get(option)?.split(",") ?? [];
}

function columnsOf(
  rows: readonly string[][],
  names: readonly string[],
  options: Options,
): Column[] {
  const count = rows.reduce((most, { length }) => Math.max(most, length), names.length);
  const positionsOf = (option: string): number[] =>
    namesIn(options, option).map((word) =>
      /^\d+$/.test(word) ? Number(word) - 1 : names.indexOf(word),
    );
  const [right, hidden, first] = [positionsOf("R"), positionsOf("H"), positionsOf("O")];
  const all = Array.from({ length: count }, (_column, at) => at);
  const unnamed = namesIn(options, "H").includes("-") ? all.slice(names.length) : [];
  const order = [...first, ...all.filter((at) => !first.includes(at))];
  return order
    .filter((at) => !hidden.includes(at) && !unnamed.includes(at))
    .map((at) => ({ at, name: names[at] ?? "", isRight: right.includes(at) }));
}

function lineOf(
  row: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
  glue: string,
): string {
  return columns
    .map(({ at, isRight }, place) => {
      const cell = row[at] ?? "";
      const gap = " ".repeat(Math.max(0, (widths[place] ?? 0) - widthOf(cell)));
      if (isRight) return gap + cell;
      return place === columns.length - 1 ? cell : cell + gap;
    })
    .join(glue);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns of the terminal: two for the letters of East Asia and most pictures. */
function widthOf(cell: string): number {
  let width = 0;
  for (const character of cell) width += WIDE.test(character) ? 2 : 1;
  return width;
}

function jsonOf(rows: readonly string[][], columns: readonly Column[], name: string): string {
  const objects = rows.map((row) => {
    const members = columns.map(
      ({ name: key, at }) =>
        `         ${JSON.stringify(key.toLowerCase())}: ${row[at] === undefined ? "null" : JSON.stringify(row[at])}`,
    );
    return `{\n${members.join(",\n")}\n      }`;
  });
  return `{\n   ${JSON.stringify(name)}: [\n      ${objects.join(",")}\n   ]\n}\n`;
}
