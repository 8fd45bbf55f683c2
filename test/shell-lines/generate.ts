/** The same numbers for the same seed: a line that went wrong can be made again. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Programs that only write down their name; `hand`, `say` and `opt` also run what they are given, each in its own way. */
export const PROGRAMS = ["alpha", "beta", "gamma", "rm", "git", "hand", "say", "opt"];
/** Real launchers, which reach nothing but those programs. */
export const LAUNCHERS = [
  "env",
  "nice",
  "nohup",
  "timeout",
  "xargs",
  "setsid",
  "stdbuf",
  "sh",
  "bash",
];

interface Dice {
  pick: (values: readonly string[]) => string;
  below: (limit: number) => number;
}

/** A line out of what shells understand: names in many forms, behind launchers, in texts, in all kinds of compounds. */
export function generateLine(seed: number): string {
  const below = randomFrom(seed);
  const dice: Dice = { below, pick: (values) => values[below(values.length)] ?? "" };
  const count = 1 + below(3);
  const parts = Array.from({ length: count }, () => compound(dice, 0));
  const joints = [" && ", "; ", "\n", " || ", " | ", " & "];
  return parts.reduce((line, part) => line + dice.pick(joints) + part);
}

function compound(dice: Dice, depth: number): string {
  const { pick, below } = dice;
  if (depth > 1 || below(3) > 0) return simple(dice, depth);
  const inner = compound(dice, depth + 1);
  return pick([
    `if true; then ${inner}; fi`,
    `for i in 1; do ${inner}; done`,
    `for i in ${pick(["rm", "alpha"])}; do $i x; done`,
    `while ${inner}; do break; done`,
    `{ ${inner}; }`,
    `(${inner})`,
    `f() { ${inner}; }; f`,
    `f() { "$@"; }; f ${call(dice)}`,
    `case x in x) ${inner};; esac`,
    `! ${inner}`,
    `time ${inner}`,
    `echo "$(${inner})"`,
    `echo \`${inner}\``,
    `cat <(${inner})`,
    `x=$(${inner})`,
    `[[ -n $(${inner}) ]]`,
    `[[ 'a[$(${call(dice)})]' -eq 0 ]]`,
    `let 'a[$(${call(dice)})]=1'`,
    `printf -v 'a[$(${call(dice)})]' 1`,
    `declare 'a[$(${call(dice)})]=1'`,
    `echo $((a[$(${call(dice)})]))`,
    `trap ${quoted(dice, inner)} EXIT`,
    `alias q=${quoted(dice, call(dice))}; q`,
    `shopt -s expand_aliases\nalias q=${quoted(dice, call(dice))}\nq`,
    `hash -p "$BIN/${name(dice)}" ls; ls x`,
    `BASH_ALIASES[q]=${name(dice)}; q`,
    `mapfile -C ${quoted(dice, call(dice))} -c 1 < data`,
    `compgen -C ${quoted(dice, call(dice))}`,
    `echo ${quoted(dice, call(dice))} > s; ${pick(["sh s", ". ./s", "bash < s", "chmod +x s; ./s"])}`,
    `bash <<< ${quoted(dice, inner)}`,
    `sh <<END\n${inner}\nEND`,
    `echo ${quoted(dice, call(dice))} | ${pick(["sh", "xargs env", "xargs", "xargs -I{} sh -c '{}'", "bash -s", "xargs nice"])}`,
    `BASH_ENV=<(echo ${quoted(dice, call(dice))}) bash -c :`,
    `coproc ${call(dice)}; wait`,
    `exec ${call(dice)}`,
  ]);
}

function simple(dice: Dice, depth: number): string {
  const { pick, below } = dice;
  if (below(2) > 0) return call(dice) + pick(["", "", "", " > out", " 2>&1", " < data", " >> out"]);
  const inner = call(dice);
  return pick([
    `X=1 ${inner}`,
    `env ${inner}`,
    `env -i PATH="$PATH" ${inner}`,
    `env -S ${quoted(dice, inner)}`,
    `nice ${inner}`,
    `nice -n 5 ${inner}`,
    `nohup ${inner}`,
    `timeout 5 ${inner}`,
    `timeout -k 1 5 ${inner}`,
    `setsid ${inner}`,
    `stdbuf -oL ${inner}`,
    `command ${inner}`,
    `builtin eval ${quoted(dice, inner)}`,
    `xargs ${inner} < data`,
    `xargs -n1 ${inner} < data`,
    `sh -c ${quoted(dice, inner)}`,
    `bash -c ${quoted(dice, depth > 1 ? inner : compound(dice, depth + 1))}`,
    `eval ${inner}`,
    `eval ${quoted(dice, `X=1 ${inner}`)}`,
    `hand ${inner}`,
    `hand -x ${inner}`,
    `say ${quoted(dice, inner)}`,
    `opt --run=${quoted(dice, inner)}`,
    `"$BIN/hand" ${inner}`,
    `set -- ${inner}; ${pick(['"$@"', "$*", "$1 x", "${@:1}", "${*}"])}`,
    `echo ${quoted(dice, inner)}`,
    `read x <<< ${name(dice)}; $x y`,
    `printf -v x %s ${name(dice)}; $x y`,
    `IFS=,; x=${name(dice)},y; $x`,
    `declare -n r=x; x=${name(dice)}; $r y`,
    `x=(a ${name(dice)}); \${x[1]} y`,
    `y=${name(dice)}; x=$y; $x z`,
  ]);
}

function call(dice: Dice): string {
  const { pick, below } = dice;
  if (below(8) === 0)
    return `git ${pick(["push", "status", 'pu""sh', "$x", "pu{sh,ll}", "$'\\x70ush'", "log"])} origin`;
  return `${name(dice)} ${pick(["x", "-r y", "'a b'", "rm", '"$x"', "alpha", "src/*", ""])}`.trim();
}

/** A name as people, and those who hide one, write it. */
function name(dice: Dice): string {
  const { pick, below } = dice;
  const plain = pick(["rm", "rm", "alpha", "alpha", "beta", "gamma", "git", "hand"]);
  if (below(3) > 0) return plain;
  const first = plain.slice(0, 1);
  const rest = plain.slice(1);
  const code = plain.charCodeAt(0);
  return pick([
    `${first}''${rest}`,
    `${first}\\${rest}`,
    `"${plain}"`,
    `$'\\x${code.toString(16)}'${rest}`,
    `$'\\${code.toString(8)}${rest}'`,
    `$'\\x{${code.toString(16)}}${rest}'`,
    `$'${plain}\\0z'`,
    `$'${plain}\\c@z'`,
    `{${first}..${first}}${rest}`,
    `{${plain},x}`,
    `$(echo ${plain})`,
    `\`echo ${plain}\``,
    `${first}$(echo ${rest})`,
    `${first}\${nothing}${rest}`,
    `\${nothing:-${plain}}`,
    `$nothing ${plain}`,
    `"$BIN"/${first}*`,
    `"$BIN"/[[:alpha:]]${rest}`,
    `"$BIN"/${first}[]${rest.slice(0, 1)}]${rest.slice(1)}`,
    `"$BIN/${plain}"`,
    `$BIN/${plain}`,
    `${first}\\\n${rest}`,
  ]);
}

function quoted({ below }: Dice, text: string): string {
  if (below(3) === 0) return `"${text.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Lines that give a name its value first, and use it in ways that change it. */
export function generateExpansion(seed: number): string {
  const below = randomFrom(seed ^ 0x5bd1e995);
  const names = ["rm", "rm", "alpha", "git"];
  const plain = names[below(names.length)] ?? "rm";
  const forms = [
    `x=${plain}; $x y`,
    `x=${plain}; \${x} y`,
    `x=x${plain}; \${x#x} y`,
    `x=${plain}x; \${x%x} y`,
    `x=xx${plain}; \${x:2} y`,
    `x=${plain.toUpperCase()}; \${x,,} y`,
    `x=a${plain.slice(1)}; \${x/a/${plain.slice(0, 1)}} y`,
    `x=${plain.slice(0, 1)}; x+=${plain.slice(1)}; $x y`,
    `x=${plain.slice(0, 1)}; y=${plain.slice(1)}; $x$y z`,
    `: \${x:=${plain}}; $x y`,
    `x=alpha; for x in ${plain}; do :; done; $x y`,
    `x=alpha; f() { local x=${plain}; $x y; }; f`,
    `x=; $x ${plain} y`,
    `x=alpha; unset x; $x ${plain} y`,
    `true || x=alpha; $x ${plain} y`,
    `x=${plain}; hand $x y`,
    `x=${plain}; sh -c "$x y"`,
    `x=${plain}; eval "$x y"`,
    `export x=${plain}; sh -c '$x y'`,
    `x="${plain} y"; $x`,
    `x='${plain} y'; eval $x`,
    `x=${plain}; env "$x" y`,
    `x=$(echo ${plain}); $x y`,
    `x='a[$(${plain} y)]'; : $((x))`,
    `p=x; x=${plain}; \${!p} y`,
    `x=${plain}; printf '%s y' "$x" | sh`,
  ];
  return forms[below(forms.length)] ?? "";
}
