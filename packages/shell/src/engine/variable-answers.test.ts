import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../virtual-shell.ts";

/** Scripts about variables, expansions and patterns, and what bash 5.2 prints for them, with the status. */
const ANSWERS: readonly (readonly [script: string, printed: string])[] = [
  // Files that patterns leave out.
  [
    "touch a.txt b.md .h; mkdir d; touch d/a.txt; GLOBIGNORE='*.txt'; echo * */*; echo .*; GLOBIGNORE='*.txt:.h:d/*'; echo * d/*; GLOBIGNORE=; echo *.txt; unset GLOBIGNORE; echo *",
    ".h b.md d d/a.txt\n.h\nb.md d d/*\na.txt\na.txt b.md d\n0",
  ],
  [
    "touch a.o b.h 'x:y'; GLOBIGNORE='[[:alpha:]].o:[:]*'; echo *; GLOBIGNORE='x\\:y'; echo *; GLOBIGNORE=*; echo *; shopt -s nullglob extglob; GLOBIGNORE='@(a.o|x:*)'; echo *",
    "b.h x:y\na.o b.h\n*\nb.h\n0",
  ],
  ["shopt -u globskipdots; touch .e; echo .*; GLOBIGNORE=.:..; echo .*", ". .. .e\n.e\n0"],
  [
    "shopt -s globstar; mkdir -p a/b; touch a/f a/b/f; echo **/**/f; echo a/**/**/ none/**",
    "a/b/f a/f\na/ a/b/ none/**\n0",
  ],
  // Subscripts: calculated once, and expanded where a text names an element.
  [
    "i=0; a=(5 6 7); (( a[i++] += 1 )); echo $i ${a[@]}; i=0; (( a[i++]++ )); echo $i ${a[@]}; i=0; a[i++]+=3; echo $i ${a[@]}; i=0; (( ++a[i++] )); echo $i ${a[@]}; i=0; (( a[i++] = 4 )); echo $i ${a[@]}",
    "1 6 6 7\n1 7 6 7\n1 73 6 7\n1 74 6 7\n1 4 6 7\n0",
  ],
  [
    "declare -A m; x=val; for k in \"it's\" 'a\"b' '$x' 'a]b' 'a b' '\\x' '@'; do m=(); (( m[$k]++, m[\"$k\"] += 2 )); let 'm[$k]++'; for ((; m[$k] < 6; m[$k]++)); do :; done; declare -p m; test -v 'm[$k]' && [[ -v m[$k] && -v 'm[$k]' ]] && unset m[\"$k\"]; echo ${#m[@]}; done; : $((m['a b']++)) $((m[$x$x]++)) $((m[\\d]++)); declare -p m",
    'declare -A m=(["it\'s"]="6" )\n0\ndeclare -A m=(["a\\"b"]="6" )\n0\ndeclare -A m=(["\\$x"]="6" )\n0\ndeclare -A m=(["a]b"]="6" )\n0\ndeclare -A m=(["a b"]="6" )\n0\ndeclare -A m=(["\\\\x"]="6" )\n0\ndeclare -A m=(["@"]="6" )\n0\ndeclare -A m=([d]="1" [valval]="1" ["a b"]="1" )\n0',
  ],
  [
    "a=(1 2 3 4); unset 'a[${#a[@]}-1]'; i=0; unset \"a[$i]\" 'a[$i+1]'; echo ${!a[@]}; printf -v 'a[${#a[@]}+i]' x; read 'a[$((i + 5))]' <<< y; declare -p a; [[ -v a[$i] ]]; echo $?; test -v 'a[$i + 5]'; echo $?; let 'a[$i]=3'; echo ${a[0]}",
    '2\ndeclare -a a=([1]="x" [2]="3" [5]="y")\n1\n0\n3\n0',
  ],
  [
    "declare -A m=([k]=v ['a b']=w); k=k; for r in 'm[\"a b\"]' 'm[$k]' \"m['a b']\" 'm[no]'; do echo \"[${!r}]\" \"${!r:-d}\"; done; printf -v 'm[\"a b\"]' 1; read 'm[$k]' <<< 2; declare 'm[${k}2]=3'; declare -p m",
    '[w] w\n[v] v\n[w] w\n[] d\ndeclare -A m=([k]="2" [k2]="3" ["a b"]="1" )\n0',
  ],
  [
    "declare -A m=([k]=v ['a b']=w); declare -n r='m[\"a b\"]'; echo $r; r=1; k=k; declare -n q='m[$k]'; k=z; q=2; declare -p m; a=('A B' C); declare -n all='a[@]'; f() { echo $#; }; f \"$all\"; f $all; all=(X Y)\necho $?; declare -n e='a[0]'; e[0]=foo\necho $? \"${a[@]}\" \"${e[0]}\" ${e/A/x}; e=(1)\necho $? ${a[@]}",
    'w\ndeclare -A m=([z]="2" [k]="v" ["a b"]="1" )\n2\n3\n1\n1 A B C  x B\n1 A B C\n0',
  ],
  [
    "declare -n r1=r2 r2=r1; echo \"[$r1]\"; r1=z\necho $?; x='a[x]'; (echo $((x)); echo no); echo $?",
    "[]\n1\n1\n0",
  ],
  [
    "declare a[a[0]=1]=X; declare -p a; declare -A m; k='a b'; declare 'm[$k]=1' m[\"$k\"]+=2 'm[\"c d\"]=3'; declare -p m; declare 1x=3; echo $?",
    'declare -a a=([0]="1" [1]="X")\ndeclare -A m=(["c d"]="3" ["a b"]="12" )\n1\n0',
  ],
  // Elements and arrays where there can be none, and what declares variables.
  [
    "x[k]=v echo hi; echo $? ${x[@]}; x[1]=2 y=3 eval 'echo $y'; echo $?; a=1; a[0]=9 true; echo $a; a[0]+=9 true; x[$a]=3 export y=4; echo $? $y ${x[@]}",
    "hi\n0\n3\n0\n1\n0 4\n0",
  ],
  [
    'x=\'1  2\'; B=(b   b "c d" "$x") env | grep ^B=; B=([k]=v) env | grep ^B=; B+=(x) env | grep ^B=; f() { echo "$B"; declare -p B; }; B=(b \'c d\') f; echo "[$B]"; let x=( 1 ) y=( x + 2 ); echo $x $y; eval a=(1 \'2 3\'); declare -p a',
    'B=(b b c d 1  2)\nB=([k]=v)\nB=(x)\n(b c d)\ndeclare -x B="(b c d)"\n[]\n1 3\ndeclare -a a=([0]="1" [1]="2" [2]="3")\n0',
  ],
  [
    "a=(1 2); a[0]=(3 4); echo no\necho $?; f() { a[1]=(1); echo no; }; f; echo no\necho ${a[@]}; a[0]+=(5)\necho $?; export a[0]=(1); echo no",
    "1\n1 2\n1\n1",
  ],
  [
    "declare -A a; a=([j]=1 2 3 [k]=4 5); declare -p a; a=(1 2 [j]=3 x); declare -p a; echo $?; a+=(x); declare -p a; a=([j]=1 2); echo $?; a=('' 1 b 2); declare -p a; a+=([c]=1 [c]+=2); echo ${a[c]}",
    'declare -A a=([k]="4" [j]="1" )\ndeclare -A a=([1]="2" ["[j]=3"]="x" )\n0\ndeclare -A a=([1]="2" [x]="" ["[j]=3"]="x" )\n0\ndeclare -A a=([b]="2" )\n12\n0',
  ],
  [
    "export a[7]=8; echo $?; readonly a[7]=8; echo $?; export 'a[1]'; echo $?; declare -x a[2]=3; echo $?; declare -p a; f() { local b[2]=3; declare -p b; }; f",
    '1\n1\n1\n0\ndeclare -ax a=([2]="3")\ndeclare -a b=([2]="3")\n0',
  ],
  [
    "readonly q=1; readonly -p | grep q=; readonly -p q; export -p HOME; f() { local z=1; local -p; local -p z; local -p q; echo $?; }; f",
    'declare -r q="1"\ndeclare -- z="1"\ndeclare -- z="1"\n1\n0',
  ],
  [
    "declare -a aa=(1); declare -A bb=([k]=v); declare -ar cc=(2); declare -r dd=1; declare -pa | grep -E ' (aa|bb|cc|dd)'; declare -pA | grep -E ' (aa|bb|cc|dd)'; declare -pr | grep -E ' (aa|bb|cc|dd)'; declare -par | grep -E ' (aa|bb|cc|dd)'; declare -a | grep -E '(aa|bb|cc|dd)='; readonly -a | grep -E '(aa|bb|cc|dd)='; declare -A aa; echo $?; declare -A | grep aa=",
    'declare -a aa=([0]="1")\ndeclare -ar cc=([0]="2")\ndeclare -A bb=([k]="v" )\ndeclare -ar cc=([0]="2")\ndeclare -r dd="1"\ndeclare -ar cc=([0]="2")\ndeclare -a aa=([0]="1")\ndeclare -ar cc=([0]="2")\ndeclare -ar cc=([0]="2")\n1\n1',
  ],
  // Assignments before a command: `local` takes their values, and `unset` brings back what they hide.
  ["v=g; f() { v=t eval 'local v=x; echo $v'; echo $v; }; f; echo $v", "x\ng\ng\n0"],
  [
    'v=g; f() { local v; echo "[$v]"; v=2; }; v=t f; echo $v; g() { local v=3; }; v=t g; echo $v; h() { f; echo $v; }; v=u h; echo $v',
    "[t]\ng\ng\n[u]\nu\ng\n0",
  ],
  ['v=g; f() { unset v; echo "[$v]"; v=9; echo $v; }; v=t f; echo $v', "[g]\n9\n9\n0"],
  [
    'v=g; f() { local v; declare -p v; unset v; declare -p v; echo "[${v-u}]"; v=1; env | grep ^v=; }; v=t f; echo $v',
    'declare -x v="t"\ndeclare -x v\n[u]\nv=1\ng\n0',
  ],
  [
    "u() { unset v; }; v=g; f() { local v=l; u; echo ${v-none}; u; echo ${v-none}; }; v=t f; echo ${v-none}; v=g; v=1 eval 'v=2 eval \"echo \\$v; unset v; echo \\$v; unset v; echo \\$v; v=3\"; echo $v'; echo $v",
    "g\nnone\nnone\n2\n1\ng\n3\n3\n0",
  ],
  [
    "v=g; f() { (unset v; echo $v); v=5; echo $v; }; v=t f; echo $v; f() { local v=1; (unset v; v=3; echo $v); g; echo $v; }; g() { local v; v=4; unset v; echo ${v-n}; v=7; }; f",
    "g\n5\ng\n3\nn\n1\n0",
  ],
  // Operations on parameters, and conditions.
  [
    "echo \"${x:-'{}'}\" \"${x:-'a}b'}\" \"${x-'}'}\"; x=1; echo \"${x:-'}'}\" '}'",
    "'{}' 'a}b' '}'\n1 }\n0",
  ],
  [
    "x='/_/'; echo ${x////c} ${x//'/'/c} ${x///} ${x//\\//-} ${x////} ${x///b}; p=/a/b; echo ${p////\\\\/} \"${p////:}\" ${p/\\//} ${p/#\\//} ${p//\\//}",
    "c_c c_c _ -_- _ /_/\n\\/a\\/b :a:b a/b a/b ab\n0",
  ],
  [
    '[[ (foo =~ foo) ]] && echo y; if [[ ! (" a " =~ " -s " || " b " =~ " -t ") ]]; then echo one; fi; [[ a =~ (a|b) && (x =~ ^(x)$) ]] && echo ${BASH_REMATCH[1]}; [[ (ab =~ a(b)) ]] && echo ${BASH_REMATCH[1]}',
    "y\none\nx\nb\n0",
  ],
  [
    "[[ '~' =~ ^[x~] ]]; echo $?; [[ 'a&' =~ a[\\&x] ]]; echo $?; [[ b =~ [a~~b] ]]; echo $?",
    "0\n0\n0\n0",
  ],
  [
    'set -- "" ""; IFS=; echo "argv=${*:-minus}"; echo "argv=${*:+plus}"; echo "argv=${@:-minus}"; a=("" ""); echo "${a[*]:-m}" "${a[@]:-m}"; IFS=\' \'; echo "${a[*]:-m}"',
    "argv=minus\nargv=\nargv= \nm  \n \n0",
  ],
  [
    'HOME=/h; y=q; x=~:$y; echo $x; x=a:~:$y:~$y:~; echo $x; x=~:${undef-~:~}; echo $x; y=${undef:-~/a}; echo $y; y="${u:-~}"; echo $y',
    "/h:q\na:/h:q:~q:/h\n/h:/h:/h\n/h/a\n~\n0",
  ],
  [
    'declare -A A=([q]=1); echo "[${!A}]" "[${!A-d}]"; a=([3]=x); echo "[${!a}]"; declare c; echo "[${!c}]"; (echo ${!h+x}; echo no); h=x; echo "[${!h+x}]"; h=(foo bar); foo=42; echo ${!h+"${!h}"}; echo ${!1-d}; set -u; (echo ${!z:-q}); echo $?',
    "[] [d]\n[]\n[]\n[]\n42\nd\n1\n0",
  ],
  [
    'set -- ; a=(); r=\'a[@]\'; f() { echo $#; }; f "${!r}"; f "${!r}x"; a=(""); f "${!r}"; a=(1 2); f "${!r}"; f "${!r:0:1}"; r=\'a[*]\'; f "${!r}"; x=; r=x; f "${!r}" "${!r:-}" ${!r} "${!r#a}"; v1=q; declare -A ref=([d]=v1); f "${!ref[@]:2}"; echo "${!ref[@]:0:1}"',
    "0\n1\n1\n2\n1\n1\n3\n1\nq\n0",
  ],
  // Marks behind `-p`, and loops without expressions.
  [
    "q=1; readonly -p q; export -p q; declare -p q; readonly -p none=3; declare -p none; export -n -p q; declare -p q; readonly -p | grep q=",
    'declare -rx q="1"\ndeclare -r none="3"\ndeclare -r q="1"\ndeclare -r q="1"\n0',
  ],
  [
    "i=0; for ((; ; )); do ((++i > 2)) && break; done; for (( ; ; )); do echo $i; break; done; m=(1 2); for ((m[i]=0; m[i] < 2; m[i]++)); do echo ${m[i]}; done",
    "3\n0\n1\n0",
  ],
  // Errors that end a script under `set -e`, and those of calculations, which don't.
  [
    "f() { bash -c \"set -e; x=abc; readonly r=1; $1\"$'\\necho after'; echo $?; }; for s in 'r=2' 'r=2 || true' 'if r=2; then :; fi' '! r=2' 'g() { r=2; }; g || echo no' 'r=2 true' 'a[-1]=3' 'a[1/0]=3' 'declare -i n=1/0' 'a[0]=(2)' 'echo ${x!y}' 'echo ${!z}' 'shopt -s failglob; echo *.zz' 'trap \"echo exit \\$?\" EXIT; r=2'; do f \"$s\" 2> /dev/null; done",
    "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\nexit 1\n1\n0",
  ],
  [
    "f() { bash -c \"set -e; x=abc; readonly r=1; $1\"$'\\necho after'; echo $?; }; for s in 'echo $((1/0))' 'x=$((1/0))' 'echo ${x:1/0}' 'echo ${x:0:-9}' '(r=2; echo no) || echo h' $'eval \\'r=2\\necho g\\' || echo no' $'eval \\'r=2\\necho no\\''; do f \"$s\" 2> /dev/null; done",
    "after\n0\nafter\n0\nafter\n0\nafter\n0\nh\nafter\n0\ng\nafter\n0\n1\n0",
  ],
  // References in functions to a name that they hide themselves.
  [
    'a=(1 2 3); add() { local -n arr=$1; arr+=(x); echo "${arr[@]}" ${#arr[@]} ${!arr[@]}; for i in "${arr[@]}"; do echo $i; done; }; arr=(p q); add arr 2>/dev/null; echo ${arr[@]}; add a; h() { local -n x=$1; echo $x; x=5; ((x++)); unset \'x\'; }; x=1; h x 2>/dev/null; echo ${x-gone}',
    "p q x 3 0 1 2\np\nq\nx\np q x\n1 2 3 x 4 0 1 2 3\n1\n2\n3\nx\n1\n6\n0",
  ],
  [
    'h() { local -n x=$1; x=5; echo $x; }; f() { local x=1; h x; echo $x; }; f 2>/dev/null; echo $x; declare -A m=([k]=v); g() { local -n m=$1; m[j]=w; echo "${m[k]}" "${!m[@]}"; [[ -v m[j] ]] && echo y; (m[k]=sub; echo ${m[k]}); }; g m 2>/dev/null; echo ${m[k]} ${m[j]}',
    "5\n1\n5\nv k j\ny\nsub\nv w\n0",
  ],
  [
    'g() { local -n n=n; echo "${n-unset}"; n=3; }; g 2>/dev/null; echo $n; declare -n q=q; echo $?',
    "unset\n3\n1\n0",
  ],
];

it.each(ANSWERS)("%s", async (script, printed) => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, exitCode } = await shell.exec(script, { cwd: "/" });
  expect(stdout + exitCode).toBe(printed);
});
