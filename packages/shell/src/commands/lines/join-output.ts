/** A line of one of the files that are joined. */
export interface Row {
  readonly line: string;
  readonly fields: readonly string[];
  readonly key: string;
  /** The key as it is compared. */
  readonly order: string;
}

/** Combines rows to a line; the row of one file may be missing. */
export type Combine = (one?: Row, other?: Row) => string;

interface Layout {
  readonly given: readonly (readonly [name: string, value: string])[];
  readonly glue: string;
  /** Stands in for missing fields. */
  readonly filler: string;
  /** Numbers of the joined fields. */
  readonly keys: readonly [number, number];
  /** The first rows, whose numbers of fields `-o auto` uses. */
  readonly first: readonly [Row | undefined, Row | undefined];
}

/** A field of the output: of a file by its number, or the joined one. */
type Place = readonly [file: 0 | 1, field: number] | "key";

export function combiner({ given, glue, filler, keys, first }: Layout): Combine {
  const lists = given.filter(([name]) => name === "o").map(([, list]) => list);
  const isAutomatic = lists.includes("auto");
  const places = isAutomatic
    ? automaticPlaces(keys, first)
    : lists.flatMap((list) => list.split(/[\s,]+/).filter((word) => word !== "")).map(placeOf);
  const others = (row: Row | undefined, key: number): string[] =>
    row?.fields.filter((_field, at) => at !== key - 1).map((field) => field || filler) ?? [];
  return (one, other) => {
    const key = (one ?? other)?.key || filler;
    if (places.length === 0)
      return [key, ...others(one, keys[0]), ...others(other, keys[1])].join(glue);
    return places
      .map((place) => {
        if (place === "key") return key;
        return (place[0] === 0 ? one : other)?.fields[place[1] - 1] || filler;
      })
      .join(glue);
  };
}

function placeOf(word: string): Place {
  if (word === "0") return "key";
  const [, file, field] = /^([12])\.0*([1-9]\d*)$/.exec(word) ?? [];
  if (file === undefined) throw new Error(`invalid field specifier: '${word}'`);
  return [file === "1" ? 0 : 1, Number(field)];
}

function automaticPlaces(keys: Layout["keys"], first: Layout["first"]): Place[] {
  const places: Place[] = ["key"];
  for (const file of [0, 1] as const) {
    first[file]?.fields.forEach((_field, at) => {
      if (at !== keys[file] - 1) places.push([file, at + 1]);
    });
  }
  return places;
}
