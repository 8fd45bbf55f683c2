import { Choices } from "../choices.ts";
import { statement } from "./commands.ts";

/** Files in the directory that each script starts in. */
export const FILES: Readonly<Record<string, string>> = {
  "a.txt": "beta 2\nalpha 10\n gamma 1",
  "b.txt": "b\n",
  ".hid": "",
  "sp ace": "x\n",
  "dir/d.txt": "d\n",
  "run.sh": 'printf "<%s>" "$0" "$@"; echo; exit 6\n',
  "source.sh": 'sourced="$*"; return 2\n',
};
export const EXECUTABLE = "run.sh";

const VALUES = [
  "abc",
  "'a b  c'",
  "''",
  "'*'",
  "'a:b::c'",
  "x",
  "'a.b.c'",
  "12",
  "$'l1\\nl2'",
  "'[a]'",
  "aAbB",
  "' pad '",
  "'a\\b'",
  "éü",
  "'-n'",
  '"it\'s"',
];
const NUMBERS = ["3", "0", "-5", "010", "1", "''", "9223372036854775807", "2"];

export interface GeneratedScript {
  readonly text: string;
  /** Its statements, behind the assignments that it starts with. */
  readonly statements: readonly string[];
  readonly choices: readonly number[];
}

/** Makes the script of a seed, or of the choices that another was made from. */
export function generateScript(source: number | readonly number[]): GeneratedScript {
  const choices = new Choices(source);
  const value = (): string => choices.pick(VALUES);
  const start = [
    'show() { printf "$#"; printf "<%s>" "$@"; echo; }; return_3() { return 3; }',
    `s=${value()} t=${value()} n=${choices.pick(NUMBERS)} m=${choices.pick(NUMBERS)} empty= i=0 ref=s ref2='arr[1]' expression=n+1`,
    `arr=(${[value(), ...choices.some(3, value)].join(" ")}); declare -A map=([k]=${value()}); set -- ${choices.some(3, value).join(" ")}`,
    ...(choices.below(8) > 0 ? ["shopt -s extglob"] : []),
    ...(choices.chance(12)
      ? [
          choices.pick([
            "IFS=:",
            "IFS=",
            "IFS=' :'",
            "unset IFS",
            "IFS=ab",
            "set -u",
            "set -e",
            "IFS=$'\\n'",
          ]),
        ]
      : []),
  ];
  const body: string[] = [];
  while (body.length < 20 && choices.below(14) > 0) body.push(statement(choices));
  const text = [...start, ...body].join("\n");
  return { text: `${text}\n`, statements: body, choices: choices.taken };
}
