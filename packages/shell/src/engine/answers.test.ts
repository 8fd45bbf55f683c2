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
  [
    "g() { echo \"fn $1\"; }; export -f g; bash -c 'g 1'; printf '2\\n' | xargs -I{} bash -c 'g {}'; env bash -c 'g 3'; env -i bash -c 'g 4' 2>/dev/null || echo none; export -nf g; bash -c g 2>/dev/null || echo gone",
    "fn 1\nfn 2\nfn 3\nnone\ngone\n0",
  ],
  [
    "set -fT; shopt -s nullglob; IFS=:; OPTIND=3; trap 'echo x' DEBUG; printf 'set -- $1; echo $# $OPTIND $-; trap -p; shopt -q nullglob || echo off' >r; trap - DEBUG; bash r 'a b'",
    "x\nx\n2 1 hB\noff\n0",
  ],
  [
    "g() { echo 1; }; readonly -f g; g() { echo 2; }; echo $?; unset -f g; echo $?; g; declare -F; export -f none; echo $?",
    "1\n1\n1\ndeclare -fr g\n1\n0",
  ],
  ["exec 5>f; printf abc >&5; : >f; printf '' >&5; wc -c <f; printf d >&5; wc -c <f", "0\n4\n0"],
  [
    "declare -A m; for k in é a=b '~' @ 'a b'; do m=([$k]=1); declare -p m; done",
    'declare -A m=([é]="1" )\ndeclare -A m=([a=b]="1" )\ndeclare -A m=(["~"]="1" )\ndeclare -A m=(["@"]="1" )\ndeclare -A m=(["a b"]="1" )\n0',
  ],
  [
    'mkdir one two; printf \'echo one "$0" "$@"\\n\' > one/mine; printf \'#!/usr/bin/env bash\\necho two; exit 3\\n\' > two/mine; chmod +x two/mine; PATH="one:$PWD/two:$PATH"; mine a; echo $?; chmod +x one/mine; hash -r; mine b; echo x | xargs mine; mine_not 2>/dev/null; echo $?',
    "two\n3\none one/mine b\none one/mine x\n127\n0",
  ],
  [
    "for s in 'set -u; echo $none' 'readonly r=1; r=2; echo on' '(: ${x?no}); echo $?'; do bash -c \"$s\" 2>/dev/null; echo $?; echo \"${s//; /$'\\n'}\" > s; bash s 2>/dev/null; echo $?; done",
    "127\n1\n1\non\n0\n1\n0\n1\n0\n0",
  ],
  [
    "bash -c -z x 2>/dev/null; echo $?; bash -c -- 2>/dev/null; echo $?; bash --nope 2>/dev/null; echo $?; bash -O nullglob -c 'echo *.nope x'; bash +O nullglob -c 'echo *.nope'; bash -O nope -c 'echo x' 2>/dev/null; echo $?; bash --norc -ec 'false; echo on'; echo $?",
    "2\n2\n2\nx\n*.nope\n2\n1\n0",
  ],
  [
    "{ echo a; echo b >&2; } 1>&f; cat f; { echo; } {in}<<<walrus; cat <&$in; echo k {out}>h; echo l >&$out; cat h; (UID=5; echo on) 2>/dev/null; echo $?; shopt -po errexit; shopt -p nullglob; set -f; shopt -po noglob",
    "a\nb\n\nwalrus\nk\nl\n1\nset +o errexit\nshopt -u nullglob\nset -o noglob\n0",
  ],
  [
    "shopt -s expand_aliases\nalias hi='e_ hello ' e_='echo __' one='ONE ' two='TWO'\nhi one two two\nalias say='echo one '\nsay two hi",
    "__ hello ONE TWO two\none TWO hi\n0",
  ],
  [
    "shopt -s expand_aliases\nalias each='for i in 1 2; do echo $i;' open='{' SEQ='seq ' TWO='2 ' count='wc '\neach done\nopen echo a; }\nSEQ TWO | count -l\nalias ls='ls -d'\nls /",
    "1\n2\na\n2\n/\n0",
  ],
  ["mkdir b; echo echo mine >b/mine; chmod +x b/mine; unset PATH; PATH=b; mine", "mine\n0"],
  ["printf '%s|%z' 1 2 3; echo $?", "1|1\n0"],
  [
    "[[ 'a&b~' =~ [\\&]b[~] ]]; echo $?; r='[\\]'; [[ 'a\\b' =~ $r ]]; echo $?; r='(ab)\\1'; [[ abab =~ $r ]]; echo $? ${BASH_REMATCH[1]}; r='^\\w[[=b=]]?$'; [[ é =~ $r ]]; echo $?; [[ abcd =~ (a|ab)(c|bcd) ]]; echo ${BASH_REMATCH[@]}",
    "0\n0\n0 ab\n0\nabcd a bcd\n0",
  ],
  ["printf '%q ' '~' 'a:~x' 'a=~' a~ '#' a#", "\\~ a:\\~x a=\\~ a~ \\# a# 0"],
  ["unset a; mapfile -tO 1 a </dev/null; declare -p a", "declare -a a=()\n0"],
  ['set -u; e=; echo "[${e#$none}${e%%$none}]"', "[]\n0"],
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
  // Subscripts that no element can have.
  [
    'a=(x y) n=-5; { echo "[${a[n]}${a[n]:-d}${none[n]}]"; x=${a[n]}; echo $? $((a[n] + 1)); } 2> errors; wc -l < errors',
    "[d]\n0 1\n5\n0",
  ],
  [
    'declare -A m=([k]=v); s=; { echo "[${m[$s]}${m[$s]+x}]"; ((m[$s] = 3)); } 2> errors; echo $?; wc -l < errors',
    "[]\n0\n3\n0",
  ],
  [
    's=text; echo "[${s[-1]}]" 2> /dev/null; { echo "[${s[-1]}]"; } 2> errors; [ -s errors ]; echo $?',
    "[]\n[]\n0\n0",
  ],
  [
    "(a=(x); echo ${#a[-5]}; echo no) 2> /dev/null; echo $?; (eval 'echo ${a[]}'; echo no) 2> /dev/null; echo $?",
    "1\n1\n0",
  ],
  [
    "a=(x y); unset 'a[-9]' 2> /dev/null; echo $? ${#a[@]}; (a[]=x; echo no) 2> /dev/null; echo $?",
    "1 2\n1\n0",
  ],
  [
    "(unset none; echo \"${none['a b']}\"; echo no) 2> /dev/null; echo $?; i=0; x=${none[i++]}; echo $i",
    "1\n1\n0",
  ],
  [
    "set -u; a=([3]=x); declare -A m=([k]=1); ((m[new] += 2)); echo $((a[9] + a)) ${m[new]}; ( declare -a b; echo $((b)) ) 2> /dev/null; echo $?",
    "0 2\n1\n0",
  ],
  // Lists where they become text, or are split.
  [
    'IFS=:; set -- \'a b\' \'\' c; x="${@#a}"; y="$@" z=${@%c}; echo "$x|$y|$z"; cat <<< "${@^}"; [[ "${@#a}" == *:* ]]; echo $?',
    " b::c|a b  c|a b::\nA b::C\n1\n0",
  ],
  [
    "IFS=a; set -- '' 1 '' 2; printf '<%s>' $*; for x in x$@y; do printf '(%s)' \"$x\"; done; arr=('' x); printf '[%s]' ${arr[*]} ${arr[@]%x}",
    "<><1><><2>(x)(1)()(2y)[][x][]0",
  ],
  [
    "a=(x 'y z'); declare -A m=([k]=1); printf '<%s>' \"${a[@]@A}\" \"-${m[@]@A}-\"; set -- 1 2; printf '(%s)' \"${@@A}\"; IFS=:; printf '[%s]' \"${a[@]@A}\"",
    '<declare><-a><a=([0]="x" [1]="y z")><-declare><-A><m=([k]="1" )->(set)(--)(\'1\')(\'2\')[declare -a a=([0]="x" [1]="y z")]0',
  ],
  [
    "IFS=:; set -- a b; arr=(c d); cat <<END\n$* ${*#a} ${arr[*]} ${arr[*]#c}\nEND",
    "a b  b c:d  d\n0",
  ],
  // Replacements, substrings, braces.
  [
    's=\'a\\b\' t=x; echo "${t/x/$s}" "${t/x/"$s"}" "${t/x/\\\\&}"; shopt -u patsub_replacement; echo "${t/x/&}" "${t/x/\\&}"',
    "a\\b a\\b \\x\n& &\n0",
  ],
  [
    "s=abc a=(1 2); echo \"[${s:9:1/0}${a[@]:9:1/0}]\"; (eval 'echo ${s:1:1/0}'; echo no) 2> /dev/null; echo $?",
    "[]\n1\n0",
  ],
  [
    "echo {a}b,c} {a}\\{a,b} a{}b,c} {}a,b} {a..{x,y}} {a..bc}{x,y} {a{b,c}",
    "a}b c a}{a b a}b ac {}a,b} a..x a..y {a..bc}x {a..bc}y {ab {ac\n0",
  ],
  // Arithmetic: what precedes an error counts, and a part that is skipped is read all the same.
  [
    "n=2; ((n++ 2)); ((n++ = 2)); ((1 ? n : 3 = 4)); ((n++ + 08)); echo $n; p='n++ +'; ((p)); echo $n",
    "5\n6\n0",
  ],
  [
    "n=2; ((1 || n ** -1)); echo $?; ((1 ? 2 : 3 ** -1)); echo $?; ((1 || 3 / 0 || n++)); echo $? $n",
    "1\n1\n0 2\n0",
  ],
  [
    "printf '%.1f|%f' 9223372036854775807 -18446744073709551615; printf '%z|' x 2>&1",
    "9223372036854775807.0|-18446744073709551615.000000bash: line 1: printf: `|': invalid format character\n1",
  ],
  // Errors where the redirections around them still hold, and those that end a shell.
  ["(set -u; { echo $none; } 2> errors; echo no); echo $?; wc -l < errors", "1\n1\n0"],
  ["(set -e; for i in 1; do [ a ] && break 0; done 2> /dev/null; echo no); echo $?", "1\n0"],
  [
    "read -n 2 q <<< $'x\\\\\\nyz'; { read -N 2 r; read s; } <<< $'\\\\\\nabc'; echo \"$q $r $s\"",
    "xy ab c\n0",
  ],
  // Arrays and maps that were only declared.
  [
    "declare -a a; declare -A m; declare -p a m; f() { local -a b; declare -p b; b=(); declare -p b; }; f; a+=(1); declare -p a; set | grep ^m=",
    'declare -a a\ndeclare -A m\ndeclare -a b\ndeclare -a b=()\ndeclare -a a=([0]="1")\n1',
  ],
  [
    "readonly -a d; declare -p d; declare -a e[3]; declare -p e; declare -t f; declare -p f",
    "declare -r d\ndeclare -a e\ndeclare -t f\n0",
  ],
  // Kinds and attributes that don't go together.
  [
    "a=(1); declare -A m=([k]=1); declare -a m 2> /dev/null; echo $?; declare -A a 2> /dev/null; echo $?; declare +a a 2> /dev/null; echo $?; (declare -a m=(1); echo no) 2> /dev/null; echo $?; declare -p a m",
    '1\n1\n1\n1\ndeclare -a a=([0]="1")\ndeclare -A m=([k]="1" )\n0',
  ],
  [
    "declare -r d=1; declare +r d 2> /dev/null; echo $?; readonly e=1; f() { local e=2; echo $? $e; }; f 2> /dev/null; e=2 eval 'echo $e' 2> /dev/null; for e in 1; do echo no; done 2> /dev/null; echo $?",
    "1\n1 1\n1\n1\n0",
  ],
  [
    "declare -l s=AB; declare -u s; s=cD; declare -p s; declare -lu t; declare -p t; declare -x u=1; f() { local u; declare -p u; local -I s; declare -p s; }; f",
    'declare -u s="CD"\ndeclare -- t\ndeclare -x u\ndeclare -u s="CD"\n0',
  ],
  [
    "declare -ua a=(ab cd); a+=(ef); declare -iA m=([k]=1+1); m+=([k]+=3); declare -p a m; (declare -ai b=(1+); echo no) 2> /dev/null; echo $?",
    'declare -au a=([0]="AB" [1]="CD" [2]="EF")\ndeclare -Ai m=([k]="5" )\n1\n0',
  ],
  // Arrays from texts.
  [
    "s=5; declare -a a='(x \"$s\" $(echo y z))'; declare a='(new)' b='(x)'; declare -p a b; f() { local -A m='([k]=v)'; declare -p m; }; f",
    'declare -a a=([0]="new")\ndeclare -- b="(x)"\ndeclare -A m=([k]="v" )\n0',
  ],
  [
    "declare -p d=(1 2); declare -ip e=(1+1); declare -p d e | wc -l; declare -p d=5 2> /dev/null; echo $?",
    'declare -a d=([0]="1" [1]="2")\ndeclare -ai e=([0]="2")\n2\n1\n0',
  ],
  // References.
  [
    's=1; declare -n r=s; declare -p r; echo "${r@A}"; declare -i r; declare -p r s; declare +n r; declare -p r',
    'declare -n r="s"\ns=\'1\'\ndeclare -n r="s"\ndeclare -i s="1"\ndeclare -- r="s"\n0',
  ],
  [
    "a=(x y); s='no name'; declare -n a 2> /dev/null; echo $?; declare -n s 2> /dev/null; echo $?; declare -n r=r 2> /dev/null; echo $?; s=a; declare -n s; echo $s; declare -n q; (q='1x'; echo no) 2> /dev/null; echo $?",
    "1\n1\n1\nx\n1\n0",
  ],
  [
    "a=(x y); declare -A m=([k]=1 [l]=2); declare -n r=a q=m; unset 'r[0]' 'q[k]'; declare -p a m; declare -n e='a[1]'; unset e; echo ${#a[@]}; unset -n a m; echo ${#m[@]}",
    'declare -a a=([1]="y")\ndeclare -A m=([l]="2" )\n0\n1\n0',
  ],
  [
    's=1 t=2; declare -n r; for r in s t; do echo "$r"; r=z; done; echo $s $t; for r in 1x; do echo no; done 2> /dev/null; echo $?',
    "1\n2\nz z\n1\n0",
  ],
  // Removal by unset, and the list of local.
  [
    's=1; f() { local s=2; g; echo "f $s"; }; g() { unset s; echo "g $s"; s=3; }; f; echo $s; h() { local b a=1; local; local -p; }; h',
    'g 1\nf 3\n3\ndeclare -- a="1"\ndeclare -- b\ndeclare -- a="1"\ndeclare -- b\n0',
  ],
  [
    "s=1; declare -A m=([@]=1 [k]=2); unset 's[1]' 2> /dev/null; echo $? $s; unset 'm[@]'; declare -p m; unset -v 1x 2> /dev/null; echo $?; unset -q s 2> /dev/null; echo $?; unset -fv s 2> /dev/null; echo $?; n=7; declare | grep ^n=",
    '1 1\ndeclare -A m=([k]="2" )\n1\n2\n1\nn=7\n0',
  ],
  // Empty texts next to empty lists, and lists in the words of other expansions.
  [
    's=abc e= a=(); for x in "$@${e/x/y}" "$@${s#abc}" "$@${e@U}" "$@${none:=}"; do echo "[$x]"; done; for x in "$@${s:9}" "$@${e@a}" "$@${none:-}" "$@${s+"$e"}" "${a[*]}$@"; do echo no; done',
    "[]\n[]\n[]\n[]\n0",
  ],
  [
    "IFS=:; a=('x y' z); set -- 'a b' c; printf '<%s>' ${none:-${a[@]}} ${none:-\"${a[@]}\"} ${none:-$*} ${none:-${@#a}}",
    "<x y z><x y><z><a b><c>< b c>0",
  ],
  [
    'e= s=abc; shopt -s extglob; echo "${e/%+(a|*)/-}${e/%*(z)/-}" "${s/%@(|a)/-}" "${s/%?(z)/-}"',
    "- abc abc-\n0",
  ],
  [
    "IFS=a; x=(1); printf '<%s>' \"${x[@]@A}\"; printf '%q ' a,b {a,b}",
    '<decl><re ->< x=([0]="1")>a\\,b a b 0',
  ],
  // Options and arguments that builtins don't have.
  [
    "eval -x 2> /dev/null; echo $?; . -x 2> /dev/null; echo $?; (exec -x; echo $?) 2> /dev/null; f() { return -- 3; }; f; echo $?",
    "2\n2\n2\n3\n0",
  ],
  [
    "f() { return 1 2; echo no; }; (f; echo no) 2> /dev/null; echo $?; (for i in 1; do break 1 2; done; echo no) 2> /dev/null; echo $?; (shift 1 2; echo no) 2> /dev/null; echo $?; (exit 3 4; echo no) 2> /dev/null; echo $?",
    "1\n1\n1\n1\n0",
  ],
  // Expressions with what is no part of one, and those of subscripts.
  [
    'set -u; ((a.b)) 2> /dev/null; echo $?; x="it\'s"; [[ x -eq 1 ]] 2> /dev/null; echo $?; ((1 2 .)) 2> /dev/null; echo $?',
    "1\n1\n1\n0",
  ],
  [
    "(n=3a; a=(1); ((a[n] == 1)); echo no) 2> /dev/null; echo $?; echo 7; echo $((_ + 1)); ((_ == 8)); echo $?",
    "1\n7\n8\n0\n0",
  ],
  [
    'set -u; declare -A m=([k]=v); echo "${m@A} ${m@a}"; (echo ${#none[@]}; echo no) 2> /dev/null; echo $?; (set +u; set -e; x=${m[""]}; echo no) 2> /dev/null; echo $?',
    "declare -A m A\n1\n1\n0",
  ],
  // Traps of functions, of scripts that are sourced, and of subshells in them.
  [
    "f() { (trap 'echo err' ERR; false; true); trap 'echo in' ERR; false; true; }; f; false; trap 'echo out' ERR; g() { false; trap - ERR; false; true; }; g; false",
    "err\nin\nin\nout\n1",
  ],
  [
    "f() { trap 'echo \"left $FUNCNAME $x\"' RETURN; local x=1; }; f; echo 'return 3' > s; . ./s; echo $?; trap 'echo \"no\"' INT; trap 'echo end' EXIT; trap -p",
    "left f 1\nleft  \n3\ntrap -- 'echo end' EXIT\ntrap -- 'echo \"no\"' SIGINT\ntrap -- 'echo \"left $FUNCNAME $x\"' RETURN\nend\n0",
  ],
  // Where functions and scripts are.
  [
    "echo 'f() { echo \"${FUNCNAME[@]} ${BASH_SOURCE[@]} ${BASH_LINENO[@]}\"; nothing 2>&1; }' > lib; printf '%s\\n' '. ./lib' 'f' 'echo \"$BASH_SOURCE ${FUNCNAME-none}\"' > main; bash main; . ./lib; f; echo \"[${BASH_SOURCE-}]\"",
    "f main ./lib main 2 0\n./lib: line 1: nothing: command not found\nmain none\nf ./lib 1\n./lib: line 1: nothing: command not found\n[]\n0",
  ],
  ["printf 'ab\\ncd' | rev; printf '|'; printf 'ab\\ncd' | tac", "ba\ndc|cdab\n0"],
  // A file that is open for both is read and written at one position.
  [
    "printf 'abcdef\\nxyz\\n' > f; exec 3<> f; read -n 2 q <&3; echo X >&3; read r <&3; echo \"$q $r\"; echo end >&3; exec 3>&-; cat f",
    "ab ef\nabX\nef\nend\n0",
  ],
  [
    'exec 3<> f 4>> f; echo A >&4; for i in 1 2; do echo $i; done >&3; echo C >&4; read q <&3; exec 3>&- 4>&-; cat f; echo "[$q]"; echo hi 1<> f; cat f',
    "1\n2\nC\n[C]\nhi\n\nC\n0",
  ],
  [
    "exec 3<> f; echo one >&3; > f; echo two >&3; exec 3>&-; wc -c < f; exec 3<> f; rm f; echo x >&3; exec 3>&-; [ -e f ]; echo $?",
    "8\n1\n0",
  ],
  [
    "exec 3>> f 4>> f; echo a >&3; echo b >&4; echo c >&3; cat f; exec 5> f; echo aaaa >&5; echo b > f; echo c >&5; exec 3>&- 4>&- 5>&-; od -An -c f; { echo a; echo b >> f; echo c; } > f; cat f",
    "a\nb\nc\n   b  \\n  \\0  \\0  \\0   c  \\n\na\nc\n0",
  ],
  // Where a function was called.
  [
    "f() { caller; caller 0; caller 1; echo $?; caller x 2> /dev/null; echo $?; }; g() { f; }; g; caller; echo $?",
    "1 environment\n1 g environment\n1\n2\n1\n0",
  ],
  [
    "printf '%s\\n' 'f() { caller; caller 0; caller 1; caller 2; echo $?; }' 'g() {' f '}' g 'caller; . ./d' > c; printf '%s\\n' f 'caller; caller 0' > d; bash c; die() { local i=0; while caller $i; do ((i++)); done; }; a() { die; }; a",
    "3 c\n3 g c\n5 main c\n1\n0 NULL\n1 ./d\n1 source ./d\n6 main c\n1\n6 c\n6 main c\n1 a environment\n1",
  ],
  // Builtins out of force.
  [
    "enable -n echo; enable -n; type -t echo; echo x; builtin echo y 2> /dev/null; echo $?; (enable echo; type -t echo); enable echo; enable | grep -c '^enable echo$'; enable -n nosuch 2> /dev/null; echo $?; enable -x 2> /dev/null; echo $?",
    "enable -n echo\nfile\nx\n1\nbuiltin\n1\n1\n2\n0",
  ],
  [
    "enable -n cd; cd / 2> /dev/null; echo $?; command -v cd; echo $?; compgen -A disabled; bash -c 'type -t cd'; enable -a | grep -e -n; f() { enable -n exit; }; f; exit 3 2> /dev/null; echo $?; enable -ns | wc -l; enable -f x y 2> /dev/null; echo $?",
    "127\n1\ncd\nbuiltin\nenable -n cd\n127\n1\n1\n0",
  ],
  // The last stage of a pipeline in the shell itself.
  [
    'shopt -s lastpipe; echo a b | read x y; echo "$x $y ${PIPESTATUS[@]}"; printf \'1\\n2\\n3\\n\' | while read n; do ((sum += n)); done; echo $sum; yes | read z; echo "$z ${PIPESTATUS[@]} $BASH_SUBSHELL"; true | echo $BASH_SUBSHELL; echo q | (read x); echo $x; (echo c | read x); echo $x; read x <<< r; echo $x',
    "a b 0 0\n6\ny 141 0 0\n0\na\na\nr\n0",
  ],
  [
    "shopt -s lastpipe; f() { echo x | return 5; echo no; }; f; echo $?; for i in 1 2; do echo x | break; done; echo $i; (echo x | { read v; exit 3; }; echo no); echo $?; trap 'echo err' ERR; true | false; shopt -u lastpipe; echo a | read v; echo $v",
    "5\n1\n3\nerr\nerr\n\n0",
  ],
  // The trap of each command.
  [
    'x=1; trap \'echo "<$BASH_COMMAND:$LINENO:$?>"\' DEBUG\necho a | tr a b\nfor i in 1 "$x"; do echo $i; done\ncase $x in 1) false;; esac; ((x++)); [[ $x == 2 ]]\nfor ((j = 0; j < 1; j++)); do :; done; select q in a; do break; done <<< 1 2> /dev/null',
    '<echo a:2:0>\n<tr a b:2:0>\nb\n<for i in 1 "$x":3:0>\n<echo $i:3:0>\n1\n<for i in 1 "$x":3:0>\n<echo $i:3:0>\n1\n<case $x in :4:0>\n<false:4:0>\n<((x++)):4:1>\n<[[ $x == 2 ]]:4:0>\n<((j = 0)):5:0>\n<((j < 1)):5:0>\n<::5:0>\n<((j++)):5:0>\n<((j < 1)):5:0>\n<select q in a:5:0>\n<break:5:0>\n0',
  ],
  [
    "trap 'echo d' DEBUG; f() { echo in; }; f; (echo s); x=$(echo q); { echo g; } > /dev/null; true | false; echo ${PIPESTATUS[@]}; echo 'echo src' > s; . ./s; trap - DEBUG; echo end",
    "d\nin\ns\nd\nd\nd\nd\n0 1\nd\nd\nsrc\nd\nend\n0",
  ],
  [
    "set -T; trap 'echo \"d:$BASH_COMMAND\"' DEBUG; f() { echo in; }; f; (echo s); echo a | cat; echo 'echo src' > s; . ./s",
    "d:f\nd:f\nd:echo in\nin\nd:echo s\ns\nd:echo a\nd:cat\na\nd:echo 'echo src' > s\nd:. ./s\nd:echo src\nsrc\n0",
  ],
  [
    "(trap 'exit 3' DEBUG; echo no); echo $?; (set -e; trap false DEBUG; echo no); echo $?; f() { trap 'echo d' DEBUG; echo in; }; f; trap 'echo err; echo x' ERR; false",
    "3\n1\nd\nin\nd\nd\nd\nerr\nd\nx\n1",
  ],
  [
    "coproc cat; echo hi >&${COPROC[1]}; exec {COPROC[1]}>&-; read x <&${COPROC[0]}; echo $x; exec {f[2]}> out; echo a >&${f[2]}; exec {f[2]}>&-; cat out",
    "hi\na\n0",
  ],
  // Small things: `$_`, empty patterns, `~`, regular expressions, files that are read and written.
  [
    'echo a b > /dev/null; x=1; echo "[$_]"; e=; s=abc; echo "${s^$e} ${s^"$e"} ${s^^\'\'}"; echo `if` 2> /dev/null; echo $?',
    "[]\nAbc abc abc\n\n0\n0",
  ],
  [
    "HOME=/h; f() { echo \"$@\"; }; f a=~ a+=~/x a[1]=x:~ --p=~ 'a'=~ a={~,x}; for x in k=~; do echo $x; done; y=(a=~); echo $y; mkdir -p d e; cd d; pushd ../e > /dev/null; [[ ~1 -ef ../d && ~0 -ef . && ~-0 -ef ~1 ]]; echo $? ~7",
    "a=/h a+=/h/x a[1]=x:/h --p=~ a=~ a=~ a=x\nk=/h\na=~\n0 ~7\n0",
  ],
  [
    "for re in '{a' 'a{x}' 'a{1' '^*a' 'a{99999}' '[[:foo:]]' 'a\\' 'a**' 'a{,2}' 'a{1}{2}' 'a)'; do [[ 'aa)' =~ $re ]]; echo \"$? ${BASH_REMATCH[0]}\"; BASH_REMATCH=(); done; [[ aaa =~ a+? ]]; echo ${BASH_REMATCH[0]}",
    "2 \n2 \n2 \n2 \n2 \n2 \n2 \n0 aa\n0 aa\n0 aa\n0 a)\naaa\n0",
  ],
  [
    "echo a > f; cat f >> f 2> /dev/null; echo $?; { cat f; echo x; cat ./f; } > f 2> /dev/null; cat f; cat f f | wc -l",
    "1\nx\n2\n0",
  ],
  [
    '[ \\( "(" = a \\) ] 2>&1; { ((08 != 1)); } 2>&1',
    'bash: line 1: [: `)\' expected, found a\nbash: line 1: ((: 08: value too great for base (error token is "08")\n1',
  ],
  [
    'mkdir -p d/e; > d/f; echo d*/~/ d*/e/ d*/f/ d*/none; declare -A m; set -- "${m[@]@K}"; echo $#; f() { local sa sb=1; echo "${!s@}"; }; f',
    "d*/~/ d/e/ d*/f/ d*/none\n0\nsb\n0",
  ],
  [
    "(declare -ai a; readarray a <<< x+1; declare -p a; a=(); readarray -d '' a <<< $'1\\n2'; echo no) 2> /dev/null; echo $?; declare -ua u; read -a u <<< 'x y'; declare -p u; set -u; echo ${#u[5]}; (echo ${#none[1]}; echo no) 2> /dev/null; echo $?",
    'declare -ai a=([0]="1")\n1\ndeclare -au u=([0]="X" [1]="Y")\n0\n1\n0',
  ],
  [
    "f() { local s=1; unset s; declare -p s; s=2; }; s=0; f; echo $s; g() { return ' 3 '; }; g; echo $?; printf '%.1f %.1f' '0x1f|A' -0x10z 2> /dev/null; (declare -i i; for i in 1+; do echo no; done; echo no) 2> /dev/null; echo $?",
    "declare -- s\n0\n3\n31.0 -16.01\n0",
  ],
  [
    'HOME=/h s=abc; x=$((1))a:~ y=$s:~/b:~ z="q":~ u=:~"x"; echo "$x $y $z $u"; f() { echo "$@"; }; f a=$s:~ "a"=:~ b$s=~; a=([2]=$s:~ $s:~); echo "${a[@]}"',
    "1a:/h abc:/h/b:/h q:/h :~x\na=abc:/h a=:~ babc=~\nabc:/h abc:~\n0",
  ],
  [
    "cat < $((1/0)) 2> /dev/null; echo $?; cat <<END 2> /dev/null; echo $?\n${none?y}\nEND\n(echo x > $((1/0)); echo no) 2> /dev/null; echo $?",
    "1\n127\n1\n0",
  ],
  [
    'for i in 1; do false; continue; done; trap \'echo "d$?"\' DEBUG; for i in 1 2; do false; continue; done; trap - DEBUG; set -- \'\'; t=${*:-d}; echo "[$t]"; t="${*:-d}"; echo "[$t]"; x=\'a\\b\'; shopt -s extglob; echo "${x/%!(*b*)/-}"; set --; set -- "${none[@]@A}"; echo $#',
    "d0\nd0\nd1\nd0\nd0\nd1\nd0\n[]\n[d]\na\\b\n0\n0",
  ],
  [
    "r=g; f() { local -n r='1x'; echo \"$? $r\"; }; f 2> /dev/null; readonly d; export d=1 2> /dev/null; echo $?; declare -p d",
    "1 g\n1\ndeclare -rx d\n0",
  ],
  // Jumps out of loops take their status along: `!` turns it around, and a condition of a loop has the last word.
  [
    "for i in 1 2; do ! { for j in 1; do break 9; done; echo no; }; done; echo $? $i; for i in 1 2; do ! continue; done; echo $? $i; for i in 1; do ! break && echo no; done; echo $?",
    "1 1\n1 2\n1\n0",
  ],
  [
    "i=0; while [ $((i += 1)) -ge 3 ] || continue; do echo b; break; done; echo $i; i=0; until [ $((i += 1)) -ge 3 ] || ! continue; do echo no; done; echo $? $i; until continue; do echo no; done",
    "b\n3\n1 3\n0",
  ],
  [
    "for i in 1 2; do while ! break 2; do echo no; done; done; echo $? $i; for i in 1 2; do until ! continue 2; do echo no; done; done; echo $? $i; i=; while [ -z $i ] || ! break; do i=1; (exit 3); done; echo $?",
    "0 1\n1 2\n3\n0",
  ],
  [
    's="\'"; echo ${s@Q} ${s@K} ${s@A}; printf -v n \'a\\n\'; alias x="$n" y=\\\'; alias x y; trap "$n" USR1; trap -p',
    "\\' \\' s=\\'\nalias x='a\n'\nalias y=\\'\ntrap -- 'a\n' SIGUSR1\n0",
  ],
  [
    "for words in 'a -n 1 -n' 'a = b -' 'a b c d' '1 -eq 1 = 1'; do [ $words ]; done 2>&1",
    "bash: line 1: [: syntax error: `-n' unexpected\nbash: line 1: [: syntax error: `-' unexpected\nbash: line 1: [: too many arguments\nbash: line 1: [: too many arguments\n2",
  ],
  // Of nothing there is no part, whose expressions don't count.
  [
    'unset none; e=(); declare -A m; n=1; echo "${none:n++}${none[@]:n++:1/0}${e[*]:n++}${m[@]:n++}${m[k]:n++}" $n; set --; (echo ${@:1/0}; echo no) 2> /dev/null; echo $?',
    "1\n1\n0",
  ],
  // A substitution that can't be parsed ends the script around it; a here-document fails its command alone.
  [
    "(eval 'echo $( fi )'; echo no) 2> /dev/null; echo $?; echo 'cat <( fi )' > f; (. ./f; echo no) 2> /dev/null; echo $?; (eval 'fi'; echo after) 2> /dev/null; (eval 'echo $(a'; echo after) 2> /dev/null; (trap 'echo $( fi )' EXIT; exit 3) 2> /dev/null; echo $?",
    "1\n1\nafter\nafter\n3\n0",
  ],
  // A `#` or `%` that an expansion puts in front of a pattern anchors it, unless it is quoted.
  [
    's=%d h=\'#a\' x=a%d y=b#a; echo ${x/$s/-} ${x/"$s"/-} ${x//$s/-} ${x/${none-}%d/-} ${y/$h/-} ${h/$h/-} ${h/"$h"/-}; s=% h=#; echo ${x/$s/-} ${x/$h/-}',
    "a%- a- a- a%- b#a #a -\na%d- -a%d\n0",
  ],
  ["{ cat <<END; echo $?; } 2> /dev/null; echo after\na $( fi ) b\nEND", "1\nafter\n0"],
];

it.each(ANSWERS)("%s", async (script, printed) => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, exitCode } = await shell.exec(script, { cwd: "/" });
  expect(stdout + exitCode).toBe(printed);
});
