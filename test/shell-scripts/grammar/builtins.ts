import type { Choices } from "../choices.ts";
import { arithmetic } from "./arithmetic.ts";
import { parameter, pattern, quoted, scalarName, word, words } from "./words.ts";

const FORMATS = [
  "%s|",
  "%d,",
  "%5s|",
  "%-5s|",
  "%05d ",
  "%x %o ",
  "%c",
  "%q ",
  "%b|",
  "%.2s|",
  "%+d ",
  "%e ",
  "%.3f ",
  "%%",
  "%s %s\\n",
  "%i ",
  "%X",
  "%#x ",
  "% d",
  "\\x41\\n",
  "%s\\t",
  "%u ",
  "%g ",
  "\\101",
  "%(x",
  "%z|",
  "%'d ",
  "%5.1f|",
  "%-8q|",
  "%5b|",
  "a\\cb",
];
const ARGUMENTS = [
  "1",
  "-7",
  "0x1f",
  "abc",
  "''",
  "'a b'",
  '"\'A"',
  "1.5",
  "010",
  "99999999999999999999",
  "'x\\ty'",
  "é",
  "a\\\\nb",
  "$s",
  "$n",
  '"$t"',
  '"${arr[@]}"',
  "3",
];

export function printf(choices: Choices): string {
  const format = [choices.pick(FORMATS), ...choices.some(2, () => choices.pick(FORMATS))].join("");
  const variable = choices.chance(6)
    ? `-v ${choices.pick(["s", "arr[1]", "map[k]", "n", "1x"])} `
    : "";
  const separate = format.startsWith("-") ? "-- " : "";
  return `printf ${variable}${separate}${shellQuote(format)} ${choices.some(4, () => choices.pick(ARGUMENTS)).join(" ")}`;
}

function shellQuote(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

export function assignment(choices: Choices): string {
  const value = choices.pick([word, quoted, parameter])(choices, 0);
  switch (choices.below(12)) {
    case 0:
    case 1:
    case 2:
      return `${choices.pick(["s", "t"])}=${value}`;
    case 3:
      return `${choices.pick(["s", "t", "n", "arr", "arr[1]", "map[k]", "unset"])}+=${value}`;
    case 4:
      return `arr[${choices.pick(["0", "1", "3", "n", "-1", "1+1", "$m", "unset", "-9"])}]=${value}`;
    case 5:
      return `map[${choices.pick(["k", "'a b'", "$s", '"$t"', "new", "a.b"])}]=${value}`;
    case 6:
      return `arr${choices.pick(["=", "+="])}(${words(choices, 4)})`;
    case 7:
      return `arr=(${choices.pick(["[2]=a [0]=b c", "[n]=x y", "a [5]=b c", "[1]+=q", '"${arr[@]}" z', "$(echo 1 2)", "*.txt", "${s}", "'' x"])})`;
    case 8:
      return `map=(${choices.pick(["[a]=1", "[k]=v ['x y']=2", "k v a b", "[$s]=$t", "[k]+=z", ""])})`;
    case 9:
      return `s=${word(choices)} t=${choices.pick(["$s", '"$s$s"', "${s}x", value])}`;
    case 10:
      return `${choices.pick(["n", "m"])}=${choices.pick(["5", "-2", `$((${arithmetic(choices)}))`, "n+1", "0x10", "''"])}`;
    default:
      return choices.pick([
        "unset s",
        "unset 'arr[1]'",
        "unset 'map[k]'",
        "unset arr",
        "unset -v t",
        "unset -f f",
        "unset nothing",
        "unset map",
        "unset 'arr[-1]'",
        "unset -n ref",
        "unset '1x'",
        "unset s t n",
      ]);
  }
}

const ATTRIBUTES = [
  "-i",
  "-u",
  "-l",
  "-a",
  "-r",
  "-x",
  "-A",
  "-n",
  "+i",
  "-ai",
  "-g",
  "-lx",
  "+x",
  "-p",
  "-ia",
  "+u",
];

export function declare(choices: Choices): string {
  const name = choices.pick(["s", "n", "arr", "d", "e", "d2", "map", "t", "none"]);
  switch (choices.below(6)) {
    case 0:
      return `declare -p ${choices.pick(["s", "arr", "n", "map2", "empty", "unset", "d", "t", "ref", "arr2", "e"])}`;
    case 1:
      return `declare ${choices.pick(ATTRIBUTES)} d${choices.below(3)}=${choices.pick(["5", "n+1", "aBc", "(a B c)", "x", "'a b'", "s", "''", "(1 2+3)", "$s"])}; declare -p d${choices.below(3)}`;
    case 2:
      return `declare ${choices.pick(ATTRIBUTES)} ${name}`;
    case 3:
      return choices.pick([
        "readonly d=4; d=5; echo $d",
        "declare -n r=s; r=via; echo $s $r ${!r}",
        "declare -n r=arr; r+=(z); show ${r[@]} ${#r[@]}",
        "declare -i c=3; c+=4; c=c*2; echo $c",
        "export d=1; declare -p d",
        "declare -u c=abc; c+=def; echo $c",
        "readonly q; unset q; echo $?",
        "typeset -l c=ABC; echo $c",
        "declare -a arr2=([3]=x); declare -p arr2",
        "declare -n r='arr[1]'; r=new; show $r ${arr[1]}",
        "declare -i x2='1+'; echo $?",
        "declare -r d; declare +r d; echo $?",
        "declare -F f show; echo $?",
        "declare -A map2=([z]=1); map2[z]+=2; declare -p map2",
      ]);
    case 4:
      return `${choices.pick(["export", "readonly -a", "local", "typeset", "declare", "export -n", "declare -gx"])} ${choices.pick(["d", "e", "d=7", "e=$s", "'2x'", "d=$(false)"])}; echo $?`;
    default:
      return `echo "\${${choices.pick(["s", "arr", "n", "d", "map", "arr[0]", "unset"])}@${choices.pick(["a", "A", "Q"])}}"`;
  }
}

const LINES = [
  "'a b c'",
  "$'one\\ntwo\\n'",
  "' x  y '",
  "'a:b::c'",
  "'a\\ b\\'",
  '"$t"',
  "''",
  "'a,b,c,'",
  "$'x\\\\\\ny'",
  "1",
  '"${arr[*]}"',
  "'::a::'",
  "'  '",
];

export function read(choices: Choices): string {
  const ifs = choices.pick(["", "IFS= ", "IFS=: ", "IFS=, ", "IFS=$' \\t:' ", "IFS=x "]);
  const options = choices.pick([
    "",
    "-r ",
    "-r ",
    "-a arr ",
    "-d , ",
    "-n 2 ",
    "-N 3 ",
    "-rd '' ",
    "-ra arr ",
    "-d: -r ",
  ]);
  const names = options.includes("a arr")
    ? ""
    : choices.pick(["q", "q r", "q r z", "", "arr[1] q", "map[k]", "q 1x"]);
  return `${ifs}read ${options}${names} <<< ${choices.pick(LINES)}; show $? "$q" "$r" "$z" "$REPLY" "\${arr[@]}"`;
}

export function mapfile(choices: Choices): string {
  const options = choices.pick([
    "",
    "-t ",
    "-n 2 ",
    "-s 1 -t ",
    "-d : ",
    "-O 2 ",
    "-tn 1 ",
    "-d '' ",
    "-td , ",
    "-tO 1 ",
  ]);
  const input = choices.pick([
    "<<< $'a\\nb\\nc'",
    "< a.txt",
    "<<< ''",
    "<<< a:b:c",
    "< <(printf '1\\n2')",
    "< /dev/null",
    "<<< 'a,b'",
  ]);
  return `${choices.pick(["mapfile", "readarray"])} ${options}arr ${input}; declare -p arr`;
}

export function getopts(choices: Choices): string {
  const options = choices.pick(["ab:", ":ab:", "a", "b:c", ":x", "a:b:c:"]);
  const given = choices
    .some(4, () =>
      choices.pick(["-a", "-b", "-bx", "-ab", "x", "--", "-z", "-", "-abq", "-c", "'-b y'", "''"]),
    )
    .join(" ");
  return `OPTIND=1; while getopts ${options} o ${given || "-a"}; do echo "$o ${"${OPTARG-none}"} $OPTIND"; done; echo $OPTIND $o`;
}

export function set(choices: Choices): string {
  return choices.pick([
    `set -- ${words(choices, 3)}`,
    "shift",
    "shift 2; echo $?",
    "set -u; echo ok",
    "set +u",
    "set -f; show *; set +f",
    "shopt -s nullglob; show x*y *; shopt -u nullglob",
    "shopt -s nocasematch; [[ A == a ]]; echo $?; shopt -u nocasematch",
    "shopt -s dotglob; show *; shopt -u dotglob",
    "shopt -s nocaseglob; show A*; shopt -u nocaseglob",
    "shopt -s failglob; echo zz*; echo $?; shopt -u failglob",
    "set -o pipefail; false | true; echo $?; set +o pipefail",
    "shopt -q extglob; echo $?",
    "shopt -s globstar; show ** **/; shopt -u globstar",
    "shift 99; echo $?",
    "set +B; show {a,b}; set -B",
    "set -C; echo x > a.txt; echo $?; set +C; echo y > b.txt",
    "set - a b; show $@",
    "set -a; v1=1; set +a; declare -p v1",
    "set -o noglob; set +o noglob; echo $?",
    "shopt nosuch; echo $?",
    "set -o nosuch; echo $?",
  ]);
}

export function other(choices: Choices): string {
  return choices.pick([
    // A quote that such a text leaves open, or a backslash at its end, puts bash's parser out of order.
    `q=${quoted(choices)}; eval "\${q//[\\\\\\"\\']/=}"`,
    `eval 'show ${choices.pick(["$s", '"$t"', "\\$s", "$((n))", "{a,b}"])}'`,
    "type show >/dev/null; echo $?",
    "type -t show echo if cat nothing",
    "command -v show echo if; echo $?",
    "command show x; echo $?",
    "builtin echo x; builtin nothing; echo $?",
    `echo ${choices.pick(["-n", "-e", "-E", "-ne", "-x", "-en", "--", "-nee"])} ${choices.pick(["'a\\tb\\n'", "'\\x41\\0101\\u00e9'", "'a\\cb'", "x", "'\\\\'", "'\\e' | cat -v"])}`,
    `let ${choices.pick(["n=2+3", "'n = 5' m+=1", "n++", "0", "'1 <'", ""])}; echo $? $n $m`,
    "(cd dir && echo *); cd dir; echo ${PWD##*/}; cd - >/dev/null; echo $?",
    "cd nowhere; echo $?",
    "pushd dir >/dev/null; echo ${PWD##*/} ${#DIRSTACK[@]}; popd >/dev/null; echo ${PWD##*/}",
    "nothing_such x; echo $?",
    "./a.txt; echo $?",
    "./run.sh 1 'a b'; echo $?",
    ". ./source.sh x y; echo $? $sourced",
    "unset -f nothing; echo $?",
    "hash -r; echo $?",
    "trap 'echo trapped' USR1; trap -p; trap - USR1; trap -p",
    "x=5 show $x; echo ${x-none}",
    "x=5 eval 'echo $x'; echo ${x-none}",
    "IFS=: ; show $t; IFS=$' \\t\\n'",
    "echo $- | tr -cd eu; echo",
    "compgen -A function",
    `echo \${${choices.pick(["FUNCNAME", "BASH_SOURCE", "OPTERR", "IFS@Q", "BASH_SUBSHELL", "-//x", "PIPESTATUS[@]", "#PIPESTATUS[@]", "_"])}}`,
    "true && false; echo ${PIPESTATUS[@]} $?",
    "times >/dev/null; echo $?",
    "umask; echo $?",
    "break; echo $?",
    "return 3; echo $?",
    "local z=1; echo $?",
    "exec nothing_such; echo after",
    "exit_code=$(exit 4); echo $?",
    "wait; echo $?",
    "(exit 7) & wait $!; echo $?",
    "kill -l 15; kill -l TERM; kill -l 130",
    "test -t 0; echo $?",
    "f() { caller; caller 0; echo $?; }; g() { f; }; g; caller 1; echo $?",
    "enable -n let; type -t let; enable -n; let n=2; echo $?; enable let; type -t let; enable nothing; echo $?",
    "f() { enable -n let; }; f; let n=2; echo $?; enable let",
    `f() { local ${choices.pick(["s", "arr", "map"])}; unset ${choices.pick(["s", "arr", "'arr[0]'", "map", "n"])}; declare -p s n; }; f 2> /dev/null; echo $? "$s"`,
    'echo "${BASH_SOURCE[@]}|${BASH_LINENO[@]}|${FUNCNAME[@]}"',
    "declare -n r; for r in s t arr; do show $r; done; unset -n r",
    "printf '%s\\n' \"${!s@}\"",
    "alias x=y; echo $?",
    `: "\${${scalarName(choices)}:=${choices.pick(["set", "$n", "'a b'"])}}"`,
    `[[ x == ${pattern(choices)} ]]; echo $?`,
  ]);
}
