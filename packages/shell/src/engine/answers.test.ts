import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../virtual-shell.ts";

/** Scripts, and what bash 5.2 prints for them, with the status. Generated scripts found them. */
const ANSWERS: readonly (readonly [script: string, printed: string])[] = [
  ["(eval 'echo $((1/0))\necho no'); echo $?", "1\n0"],
  ["n=5; for i in 1 2; do break 0; done; echo $?", "1\n0"],
  ["for i in 1; do continue x; done; echo no", "128"],
  ["builtin cat /etc/hostname; echo $?", "1\n0"],
  ["f() { trap 'echo left' RETURN; }; f; g() { echo in; }; g", "left\nin\n0"],
  ["set -E; trap 'echo failed' ERR; (false); true", "failed\nfailed\n0"],
  ["declare -A m=([a]=1); s='*'; echo \"[${m[$s]}]\"", "[]\n0"],
  ["declare -A m; s=; m[$s]=1; echo $?", "1"],
  [
    "declare -A m=([b]='x y' [a]=1); echo \"${m[@]@K}\" ${m[a]@A}",
    'b "x y" a "1"  declare -A m=\'1\'\n0',
  ],
  ['set -- a b; echo "${@@K}" "${2@k}"', "'a' 'b' 'b'\n0"],
  ['a=(x); echo "${a[@]:1:-1}" done', "done\n0"],
  ['x=ab; echo "${x/a/"&"}" ${x/a/\\&-} ${x/a/[&]}', "&b &-b [a]b\n0"],
  [
    "printf 'a\\cb|%d|%u|%5s|' 99999999999999999999 18446744073709551615 é",
    "a\\cb|9223372036854775807|18446744073709551615|   é|0",
  ],
  ["printf '%s|%z' 1 2 3; echo $?", "1|1\n0"],
  ["printf '%(x|%s' 1; echo $?", "%(x|10\n0"],
  ["printf -v 1x y; echo $?; read q 1x <<< 'a b'; echo $? $q", "2\n1 a\n0"],
  ["OPTIND=1; getopts a: o -a; echo $OPTIND $OPTERR", "2 1\n0"],
  ["[ \\( '(' = a \\) ]; echo $?", "2\n0"],
  ["(eval '[[ $((1/0)) == 1 ]]\necho no'); echo $?", "1\n0"],
  ["printf -v x 'a%cb'; echo $x", "a\n0"],
  ["x=1 xa=2; echo $x{a,b} ${x}{a,b} $x{1..2}", "2 1a 1b\n0"],
  ["(eval 'echo $((1 ? 2 : m = 3))\necho no'); echo $?", "1\n0"],
  [
    'e=; set --; set -- "$@$e" "${@:-}" "$e${@:+x}"; echo $#; set -- "$@$e" "${@:+}"; echo $#',
    "1\n2\n0",
  ],
  [
    "declare -A m=([k]=1); m=([k]+=2); echo ${m[k]}; s=; m=([$s]=x [a]=b); echo $? ${m[@]}",
    "12\n0 b\n0",
  ],
  ["n=-5; arr=([n]=x y); echo $? ${arr[@]}", "0 y\n0"],
  [
    "shopt -s extglob\nx=abc e=; echo ${x//*(z)/-} ${x//!(*b*)/-} ${e/*/-} ${x/%*(z)/-}",
    "-a-b-c --b- - abc-\n0",
  ],
  ["[[ a =~ [ ]]; echo $?; [[ ! a =~ [ ]]; echo $?; [[ a =~ [ || b ]]; echo $?", "2\n0\n0\n0"],
  [
    "declare -lx d=S; declare -p d; set -- a 'b c'; echo ${@@A} ${1@A}",
    "declare -xl d=\"s\"\nset -- 'a' 'b c'\n0",
  ],
  ["f() { local -n r=$1; }; f; echo $?; f s; echo $?", "1\n0\n0"],
  ['echo $(false) $?; set --; echo "[${@@A}]"; x=ab; echo ${x^$u}', "1\n[]\nAb\n0"],
  ["n='a b'; [[ $n -eq 1 || x ]]; echo $?; (eval '[[ ${n:n:1} ]]\necho no'); echo $?", "0\n1\n0"],
  ["(declare -i i; read i <<< '1+'; echo no); echo $?", "1\n0"],
];

it.each(ANSWERS)("%s", async (script, printed) => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, exitCode } = await shell.exec(script, { cwd: "/" });
  expect(stdout + exitCode).toBe(printed);
});
