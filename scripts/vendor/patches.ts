/** A change of the code of a bundled program by `scripts/vendor.ts`. */
export interface Patch {
  why: string;
  find: RegExp;
  /** The replacement; `%visit%` and `%limitError%` stand for minified names of jq. */
  replace: string;
  /** Expected matches; default 1. */
  times?: number;
}

/** The bounds of an expensive jq step, by the minified name of its program's context. */
function bounds(context: string): string {
  return `{visit:()=>%visit%(${context}),ended:()=>new %limitError%("","iterations")}`;
}

/**
 * Changes to the minified programs. Each must match exactly `times` times, so a new release can't drop one
 * unnoticed.
 */
export const patches: readonly Patch[] = [
  {
    why: "a jq program yields while it computes, and ends on request",
    find: /(throw (\w+)\.budget\.callDepth--,(\w+)\(`query depth limit exceeded \(\$\{\2\.limits\.maxDepth\}\)`,"recursion"\);try\{let (\w+)=)(\w+)\((\w+),(\w+),\2\)(?=;return \w+\(\2,0,\4\.length\))/g,
    replace:
      '$1isPlain($2.budget,$7,$6)?$5($6,$7,$2):evaluated($2.budget,$7,()=>$5($6,$7,$2),()=>$3("","iterations"))',
  },
  {
    why: "jq parses plain JSON, one value or one per line, with the host's parser, which is many times as fast",
    find: /(function \w+\((\w+),(\w+)\)\{)(?=let \w+=\[\],\w+=\w+=>\{if\(\w+\.length>=\3\.maxElements\)throw new \w+\(`query result[^]*?\w+\((\w+)\(\w+\(\2,\w+,\w+\),\{maxDepth)/g,
    replace:
      "$1let plain=plainValues($2,$3.maxElements);if(plain)return plain.map(value=>$4(value,$3));",
  },
  {
    why: "a jq program evaluates each of its inputs in turns",
    find: /(\w+)\((null|\w+|\w+\.slice\(\w+,\w+\)),(\w+),(\w+)\)(?=[;)}])(?<=budget:\{operations:0,callDepth:0\}\},[^]{0,1300})/g,
    replace: "await inTurns($4.budget,()=>$1($2,$3,$4))",
    times: 6,
  },
  {
    why: "a jq program can ask the file system for a pause",
    find: /(requireDefenseContext:(\w+)\.requireDefenseContext,budget:\{operations:0,callDepth:0)\}/g,
    replace: "$1,fs:$2.fs}",
  },
  {
    why: "a jq program yields between the values that it prints",
    find: /(,\w+=Math\.min\((\w+)\.limits\.maxStringLength,\2\.limits\.maxOutputSize\),\w+=\[\],\w+=0;for\(let \w+ of \w+\)\{)(?=let \w+=\w+\.length>0)/g,
    replace: "$1await pauseNow($2.fs);",
  },
  {
    why: "a jq program that was ended prints no message of its own",
    find: /(catch\((\w+)\)\{if\(\2 instanceof \w+)(\)throw \2;if\(\2 instanceof (\w+)\)return\{stdout:"",stderr:`jq: )/g,
    replace: "$1||isEnd($2)$3",
  },
  {
    why: "jq compares objects regardless of key order, strings by code points, and values of any type",
    find: /function (\w+)\((\w+),(\w+)\)\{return JSON\.stringify\(\2\)===JSON\.stringify\(\3\)\}function (\w+)\((\w+),(\w+)\)\{/g,
    replace:
      "function $1($2,$3){return sameValues($2,$3)}function $4($5,$6){return comparedValues($5,$6);",
  },
  {
    why: "jq's min and max follow its order of values",
    find: /function (\w+)\((\w+),(\w+)\)\{(?=let \w+=\w+=>\w+===null\?0:typeof \w+=="boolean"\?1)/g,
    replace: "$&return comparedValues($2,$3);",
  },
  {
    why: "jq sorts in parts, between which it yields, and by all keys",
    find: /case"sort":return Array\.isArray\((\w+)\)\?\[\[\.\.\.\1\]\.sort\(\w+\)\]:\[null\];case"sort_by":return!Array\.isArray\(\1\)\|\|(\w+)\.length===0\?\[null\]:\[\[\.\.\.\1\]\.sort\(\((\w+),\w+\)=>\{let \w+=(\w+)\(\3,\2\[0\],(\w+)\)\[0\],.{1,80}?\}\)\];/g,
    replace:
      `case"sort":return Array.isArray($1)?[sortedValues($5.budget,${bounds("$5")},$1)]:[null];` +
      `case"sort_by":return!Array.isArray($1)||$2.length===0?[null]:[sortedValues($5.budget,${bounds("$5")},` +
      "$1,(item)=>$2.flatMap((by)=>$4(item,by,$5)))];",
  },
  {
    why: "jq's unique returns each value once, in order",
    find: /(case"unique":if\(Array\.isArray\((\w+)\)\)\{)(?=[^]{0,200}?case"tojsonstream":\{let \w+=(\w+)\.limits)/g,
    replace: `$1return[groupedValues($3.budget,${bounds("$3")},$2).map(([first])=>first)];`,
  },
  {
    why: "jq's groups, and the first items of unique_by, are in key order",
    find: /case"(unique|group)_by":\{if\(!Array\.isArray\((\w+)\)\|\|(\w+)\.length===0\)return\[null\];(?=let \w+=new Map;for\(let \w+ of \2\)\{let \w+=(?:JSON\.stringify\()?(\w+)\(\w+,\3\[0\],(\w+)\))/g,
    replace:
      `$&{let groups=groupedValues($5.budget,${bounds("$5")},$2,(item)=>$3.flatMap((by)=>$4(item,by,$5)));` +
      'return["$1"==="group"?groups:groups.map(([first])=>first)]}',
    times: 2,
  },
  {
    why: "jq's contains and inside compare many values in parts",
    find: /(case"contains":\{if\(\w+\.length===0\)return\[!1\];let (\w+)=\w+\((\w+),\w+\[0\],(\w+)\);return\[)\w+\(\3,\2\[0\]\)(\]\}case"inside":\{if\(\w+\.length===0\)return\[!1\];let (\w+)=\w+\(\3,\w+\[0\],\4\);return\[)\w+\(\6\[0\],\3\)/g,
    replace: `$1hasWithin($4.budget,${bounds("$4")},$3,$2[0])$5hasWithin($4.budget,${bounds("$4")},$6[0],$3)`,
  },
  {
    why: "jq searches an array within an array in parts",
    find: /\w+\((\w+),\w+\[0\],(\w+)\)\.map\((\w+)=>\{(?=(?:let \w+=\[\];)?if\(typeof \1=="string"&&typeof \3=="string"\)(?:\{if\(\3===""|\{let \w+=\1\.(?:lastI|i)ndexOf))/g,
    replace:
      `$&if(Array.isArray($1)&&Array.isArray($3)&&$3.length>0){let places=positionsOf($2.budget,${bounds("$2")},$1,$3);` +
      'return arguments[1]==="indices"?places:(arguments[1]==="index"?places[0]:places.at(-1))??null}',
    times: 3,
  },
  {
    why: "a jq pipe that resumes after a pause takes its former results at once",
    find: /(case"Pipe":\{let (\w+)=\w+\(\w+,\w+\.left,(\w+)\),\w+=\w+\(\w+\.left\),(\w+)=\[\];for\(let \w+ of )\2\)/g,
    replace: "$1remaining($3.budget,$2,$4))",
  },
  {
    why: "jq's map does the same",
    find: /(case"map":\{if\(\w+\.length===0\|\|!Array\.isArray\((\w+)\)\)return\[null\];\w+\((\w+),0,\2\.length\);let (\w+)=\[\];for\(let \w+ of )\2\)/g,
    replace: "$1remaining($3.budget,$2,$4))",
  },
  {
    why: "jq's reduce resumes after a pause with its former state",
    find: /(case"Reduce":\{let (\w+)=\w+\(\w+,(\w+)\.expr,(\w+)\),[^;]*;for\(let \w+ of )\2\)/g,
    replace: "$1$3.pattern?$2:unreduced($4.budget,$2))",
  },
  {
    why: "jq's while and repeat take their former states at once",
    find: /(case"(?:while|(repeat))":\{if\(\w+\.length(?:<2|===0)\)return\[(\w+)\];let (\w+)=\[\],\w+=)\3(?=,\w+=(\w+)\.limits)/g,
    replace: '$1resumed($5.budget,$3,"$2"?1:2,$4)',
    times: 2,
  },
  {
    why: "jq's until resumes with its former state",
    find: /(case"until":\{if\(\w+\.length<2\)return\[(\w+)\];let \w+=)\2(?=,\w+=(\w+)\.limits)/g,
    replace: "$1resumed($3.budget,$2,2)",
  },
  {
    why: "regular expressions that can't take long run on the host's own engine, which is many times as fast",
    find: /(let (\w+)=\w+\(\w+\),(\w+)=\w+\(\w+\);this\._re2=)(\w+\.compile\(\2,\3\))/g,
    replace: "$1quickened($4,$2,$3)",
  },
  {
    why: "plain text needs no encoding: joining it byte by byte takes a third of a second for three megabytes",
    find: /(\w+\((\w+)\((\w+)\),\w+,"UTF-8 encode"\);)/g,
    replace: "$1if($2($3)===$3.length)return $3;",
  },
];
