import { parseDefinitions } from "../syntax/parse.ts";
import type { Definition } from "../syntax/tree.ts";

/** Functions that the language itself expresses best; one a line. */
const SOURCE = `
def add(f): reduce f as $x (null; . + $x);
def all: all(.[]; .);
def all(f): all(.[]; f);
def any: any(.[]; .);
def any(f): any(.[]; f);
def arrays: select(type == "array");
def ascii: [.] | implode;
def booleans: select(type == "boolean");
def capture($re): capture($re; null);
def capture($re; $flags): match($re; $flags) | [.captures | .[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $y | [$x] + $y end;
def combinations(n): . as $dot | [range(n) | $dot] | combinations;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def debug(f): (f | debug | empty), .;
def del(f): delpaths([path(f)]);
def finites: select(isinfinite or isnan | not);
def first: .[0];
def flatten: flatten(1e9);
def fromdate: fromdateiso8601;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def halt_error: halt_error(5);
def in(xs): . as $x | xs | has($x);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(f): INDEX(.[]; f);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def JOIN($idx; f): [.[] | [., $idx[f]]];
def JOIN($idx; stream; f): stream | [., $idx[f]];
def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;
def index($i): indices($i) | .[0];
def inside(xs): . as $x | xs | contains($x);
def isvalid(f): try (f | true) catch false;
def iterables: select(type == "array" or type == "object");
def last: .[-1];
def leaf_paths: paths(scalars);
def map_values(f): .[] |= f;
def match($re): match($re; null);
def match($re; $flags): _match($re; $flags) | .[];
def normals: select(isnormal);
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else last(limit($n + 1; f)) end;
def nulls: select(. == null);
def numbers: select(type == "number");
def objects: select(type == "object");
def paths: path(.[]? | ..);
def paths(f): path(.[]? | .. | select(f));
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def recurse: recurse(.[]?);
def recurse(f; cond): recurse(f | select(cond));
def recurse_down: recurse;
def rindex($i): indices($i) | .[-1:][0];
def scalars: select(type != "array" and type != "object");
def scalars_or_empty: select(type != "array" and type != "object" or length == 0);
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + $flags) | if .captures | length > 0 then [.captures | .[] | .string] else .string end;
def split($re; $flags): [splits($re; $flags)];
def splits($re): splits($re; null);
def splits($re; $flags): . as $s | foreach (match($re; "g" + $flags), null) as $m ([0, null]; if $m then [$m.offset + $m.length, $s[.[0]:$m.offset]] else [null, $s[.[0]:]] end; .[1]);
def skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) elif $n == 0 then f else error("skip doesn't support negative count") end;
def strings: select(type == "string");
def todate: todateiso8601;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def values: select(. != null);
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def with_entries(f): to_entries | map(f) | from_entries;
def isempty(f): label $go | (f | false, break $go), true;
`;

let sources: Map<string, string> | undefined;

/** The definition of a function by its name and number of parameters. */
export function libraryOf(key: string): Definition | undefined {
  sources ??= new Map(
    SOURCE.split("\n").flatMap((line) => {
      const [, name, params] = /^def (\w+)(?:\(([^)]*)\))?:/.exec(line) ?? [];
      if (name === undefined) return [];
      return [[`${name}/${params === undefined ? 0 : params.split(";").length}`, line]];
    }),
  );
  const source = sources.get(key);
  return source === undefined ? undefined : parseDefinitions(source)[0];
}

/** Names of all functions that are written in the language itself. */
export function libraryNames(): string[] {
  libraryOf("");
  return [...(sources?.keys() ?? [])].filter((name) => !name.startsWith("_"));
}
