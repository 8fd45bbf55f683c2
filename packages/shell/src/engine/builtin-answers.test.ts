import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../virtual-shell.ts";

/** Scripts of the shell's own commands, and what bash 5.2 prints for them, with the status. */
const ANSWERS: readonly (readonly [script: string, printed: string])[] = [
  // The mask of new files: as numbers and as rights, in shells below, and with all that creates files.
  [
    'umask 027; umask -S; umask -p; umask -pS; umask u+w,g=w; umask; umask 1777; umask; umask -S 7022; bash -c "umask; umask 0"; x=$(umask 0; umask); echo $x; (umask 7); umask',
    "u=rwx,g=rx,o=\numask 0027\numask -S u=rwx,g=rx,o=\n0057\n0777\nu=rwx,g=rx,o=rx\n0022\n0000\n0022\n0",
  ],
  [
    'umask 0124; for m in 8 12345 0o22 "" u ug+r, u+r,,g=r a=X +s u+r-w b=r; do umask "$m" 2> /dev/null || echo -n "$? "; umask; done; umask -r 2> /dev/null; echo $?; umask =rx; umask; umask -- -; umask; umask a=; umask 22 33; umask',
    `${"1 0124\n".repeat(11)}2\n0222\n0222\n0022\n0`,
  ],
  [
    "umask 077; > a; mkdir -p d/e; cp -r d d2; echo x | tee t > /dev/null; umask 0; touch b; mkdir c; echo x >> b2; : <> rw; chmod 666 b; (umask 027; cp b b3; cp -p b b4; chmod +x b4); > m; stat -c '%a %n' a d d/e d2 d2/e t b c b2 rw b3 b4 m; umask 007; stat -c %a $(mktemp) $(mktemp -d)",
    "600 a\n700 d\n700 d/e\n700 d2\n700 d2/e\n600 t\n666 b\n777 c\n666 b2\n666 rw\n640 b3\n776 b4\n666 m\n600\n700\n0",
  ],
  [
    "> b; chmod 666 b; umask 177; echo x >> b; awk 'BEGIN { print 1 > \"w\" }'; sed -n 'w w2' b; sed -i s/x/y/ b; ln -s gone l; echo > l; stat -c %a b w w2 gone",
    "666\n600\n600\n600\n0",
  ],
  // Signals to jobs, by their processes and by what `%` names; their ends are known to who waits.
  [
    "for s in TERM -KILL '-s hup' '-n 9' -SigTerm -usr1; do case $s in -*) ;; *) s=-$s;; esac; sleep 5 & kill $s $!; wait $! 2> message; echo $? $(grep -oE 'Killed|User.*1' message); done",
    "143\n137 Killed\n129\n137 Killed\n143\n138 User defined signal 1\n0",
  ],
  [
    "sleep 5 & sleep 6 & jobs; kill %-; wait %1; echo $?; kill %?6; kill % ; wait %%; echo $?; wait %2 2> /dev/null; echo $?; sleep 5 & kill %sleep; wait; jobs; kill %1 2> /dev/null; echo $?",
    "[1]-  Running                 sleep 5 &\n[2]+  Running                 sleep 6 &\n143\n143\n127\n1\n0",
  ],
  [
    "(exit 3) & wait $!; wait $!; echo $?; wait; wait $! 2> /dev/null; echo $?; wait zzz 2> /dev/null; echo $?; wait -z 2> /dev/null; echo $?; (exit 4) & wait -n -p id; echo $? $((id == $!)); sleep 5 & disown; jobs; wait; kill $!; { false & wait $!; } & wait $!; echo $?",
    "3\n127\n1\n2\n4 1\n1\n0",
  ],
  [
    "sleep 5 & sleep 5 & trap 'kill $(jobs -p); echo over' EXIT; jobs -p | wc -l; jobs -l | sed 's/ *[0-9]* R/ N R/'; jobs %9 2> /dev/null; echo $?; (jobs); (sleep 0.01 & jobs; wait)",
    "2\n[1]- N Running                 sleep 5 &\n[2]+ N Running                 sleep 5 &\n1\n[1]+  Running                 sleep 0.01 &\nover\n0",
  ],
  [
    "kill -l 9; kill -L term; kill -l 143 0 sigrtmin+1; kill -l x 2> /dev/null; echo $?; kill -l | sed -n '1p;$p'; for a in '' '-FOO 1' '-s' '99999' 'abc' '-9' '%9' '-0 $$'; do eval kill $a 2> /dev/null; echo -n $?; done",
    "KILL\n15\nTERM\nEXIT\n35\n1\n 1) SIGHUP\t 2) SIGINT\t 3) SIGQUIT\t 4) SIGILL\t 5) SIGTRAP\n63) SIGRTMAX-1\t64) SIGRTMAX\t\n211112100",
  ],
  // Signals to shells: their traps run behind the command that runs, or end `wait`.
  [
    "trap 'echo usr1 $LINENO $?' USR1; false\nsh -c \"kill -USR1 $$\"; echo $?; (kill -USR1 $$); bash -c 'kill -USR1 $PPID'; echo .; { until [ -e go ]; do sleep 0.01; done; kill -USR1 $$; } & > go; wait; echo $?",
    "usr1 1 0\n0\nusr1 1 0\nusr1 1 0\n.\nusr1 1 138\n138\n0",
  ],
  [
    "job() { until [ -e ready ]; do sleep 0.01; done; rm ready; kill $1 $!; wait $!; echo $?; }; (trap 'echo t; exit 7' TERM; > ready; while :; do sleep 0.01; done) & job; echo 'trap \"echo t; exit 8\" TERM; trap \"echo no\" INT; > ready; while :; do sleep 0.01; done' > s; bash s & job; (trap '' TERM; > ready; until [ -e on ]; do :; done; echo on) & until [ -e ready ]; do :; done; kill $!; rm ready; > on; wait $!; echo $?; { trap 'echo left' EXIT; > ready; while :; do :; done; } & job; bash -c 'trap \"echo left\" EXIT; > ready; sleep 9' & job -9 2> /dev/null",
    "t\n7\nt\n8\non\n0\nleft\n143\n137\n0",
  ],
  [
    "bash -c 'kill $$; echo no'; echo $?; (kill -9 $BASHPID; echo no); echo $?; x=$(kill $BASHPID; echo no); echo $? $x; sleep 5 & jobs -p | xargs kill; wait $!; echo $?; trap 'echo left' EXIT; (kill -HUP $$) & sleep 5; echo no",
    "143\n137\n143\n143\nleft\n129",
  ],
  ["(kill -KILL $$) & trap 'echo no' EXIT; while :; do :; done", "137"],
  ["sleep 5 & trap 'kill 0' EXIT; echo x", "x\n143"],
  [
    "for t in 'echo t; exit 3' ''; do timeout -k 0.1 0.1 bash -c \"trap '$t' TERM; while :; do sleep 0.01; done\"; echo $?; done; timeout 0.1 bash -c 'trap \"echo t\" TERM; trap \"echo left\" EXIT; sleep 9'; echo $?; timeout --preserve-status 0.1 bash -c 'trap \"exit 3\" TERM; while :; do :; done'; echo $?",
    "t\n124\n137\nt\nleft\n124\n3\n0",
  ],
  [
    'bash -c \'{ > ready; sleep 0.01; } & until [ -e ready ]; do :; done; kill -INT $!; wait $!; echo $?; bash -c "trap x INT; trap -p INT" & wait; trap "" TERM; bash -c "trap x TERM; trap"\'',
    "0\ntrap -- '' SIGINT\ntrap -- '' SIGTERM\n0",
  ],
  // Subshells list the traps around them until they set one.
  [
    "trap 'echo left' EXIT; trap x USR1; (trap); (trap q HUP; trap); echo $(trap -p EXIT); trap | cat; trap USR1; trap 0 EXIT; trap; trap -l | head -1; for a in foo -1 '- FOO' 'x FOO' -x '-p FOO' '07 EXIT' USR1; do trap $a 2> /dev/null; echo -n $?; done",
    "trap -- 'echo left' EXIT\ntrap -- 'x' SIGUSR1\ntrap -- 'q' SIGHUP\ntrap -- 'echo left' EXIT\ntrap -- 'echo left' EXIT\ntrap -- 'x' SIGUSR1\n 1) SIGHUP\t 2) SIGINT\t 3) SIGQUIT\t 4) SIGILL\t 5) SIGTRAP\n221121000",
  ],
  // Directories: what is before a `..` must be there; `pushd`, `popd` and `dirs` as documented.
  [
    "cd none/.. 2> /dev/null; echo $?; mkdir -p d/e; > f; cd f/.. 2> /dev/null; echo $?; ln -s d/e l; cd l/..; pwd; cd -P l/..; pwd; env | grep OLDPWD; pwd -z 2> /dev/null; echo $?; cd -z 2> /dev/null; echo $?",
    "1\n1\n/\n/d\nOLDPWD=/\n2\n2\n0",
  ],
  [
    "for c in 'pushd -z' 'popd zzz' 'popd -z' 'pushd . .' 'dirs a' 'dirs -z' 'pushd +5' pushd popd; do $c 2> /dev/null; echo -n $?; done; pushd -- /tmp > /dev/null; pushd /dev > /dev/null; dirs -p | wc -l; dirs +1; dirs +9 2> /dev/null; echo $?; popd +9 2> /dev/null; echo $?; popd -n > /dev/null; dirs | wc -w; pushd -n /x; dirs -c; dirs +0",
    "2221221113\n/tmp\n1\n1\n2\n/dev /x /\n/dev\n0",
  ],
  // Files on `PATH`, to run, to describe, and to source.
  [
    "mkdir w; cd w; mkdir -p b/c; for n in run both; do echo \"echo $n \\$1\" > b/$n; chmod +x b/$n; done; echo 'echo plain $1' > b/plain; echo 'echo here' > both; echo 'echo own' > own; mkdir own2; PATH=$PWD/b:$PATH; run 1; . both 2; . plain; . own; (shopt -u sourcepath; . both); . b 2> /dev/null; echo $?; plain 2> /dev/null; echo $?; command -v run; command -p run 2> /dev/null; echo $?; run() { :; }; type -p run; type -P run; hash -r; type -f run; type -t run plain c; echo $?",
    "run 1\nboth 2\nplain\nown\nhere\n1\n126\n/w/b/run\n127\n/w/b/run\nrun is /w/b/run\nfunction\nfile\n1\n0",
  ],
  [
    "command -v echo none for; echo $?; command -v none; echo $?; command -z 2> /dev/null; echo $?; type -z 2> /dev/null; echo $?; f() { :; }; type -ft f; echo $?; type -ft echo; hash -z 2> /dev/null; echo $?",
    "echo\nfor\n0\n1\n2\n2\n1\nbuiltin\n2\n0",
  ],
  // Options that end others, and what is none.
  [
    "alias -- a=b; alias -- a; unalias -- a; for c in 'alias -z' unalias 'unalias -z' builtin 'builtin --' 'builtin -- false' 'builtin -z' 'shift --' 'let -- 1'; do set -- 1; $c 2> /dev/null; echo -n $?; done",
    "alias a='b'\n2220012000",
  ],
  [
    "set -x -v 2> /dev/null; { set - a b; } 2> /dev/null; echo $@ $-; { set -x - -v; } 2> /dev/null; echo $@ $-; set +; echo $@; { set -x + -v x y; set +xv; } 2> /dev/null; echo $@; set - +; echo $@; set + -; echo $@; set -; echo $@",
    "a b hBc\n-v hBc\n-v\nx y\n+\n+\n+\n0",
  ],
  [
    "exec -- 3>&1; echo hi >&3; (exec -a name bash -c 'echo $0'); (exec -l bash -c 'echo $0'); (exec -c env | grep -c HOME); (exec -z) 2> /dev/null; echo $?; (exec -a) 2> /dev/null; echo $?; (exec -- echo x)",
    "hi\nname\n-bash\n0\n2\n2\nx\n0",
  ],
  [
    "printf '[%.0f][%#.0f][%#.0e]' 3 3 3; TZ=UTC printf '[%10.5(%Y-%m-%d)T][%-8(%Y)T]\\n' 1557978599 0; for TZ in US/Eastern Portugal Asia/Tokyo; do printf '%(%F %T %Z)T\\n' 1557978599; done; unset TZ; printf '%(%H)T\\n' 0",
    "[3][3.][3.e+00][     2019-][1970    ]\n2019-05-15 23:49:59 EDT\n2019-05-16 04:49:59 WEST\n2019-05-16 12:49:59 JST\n00\n0",
  ],
  // `getopts` moves no further than the arguments, and begins again with `OPTIND`.
  [
    "getopts 'hc:' opt- -c foo 2> /dev/null; echo $? $OPTARG $OPTIND; OPTIND=1; set -- -h -c foo x; while getopts hc: o; do echo -n $o; done; echo $OPTIND; set --; getopts hc: o; echo $? $OPTIND; set -- -f; getopts f o; echo $? $OPTIND; for c in getopts 'getopts a' 'getopts -z a'; do $c 2> /dev/null; echo -n $?; done; OPTIND=1; getopts ab o -ab; OPTIND=1; getopts ab o -ba; echo $o; OPTERR=0 OPTIND=1; getopts a o -z 2>&1",
    "1 foo 3\nhc4\n1 1\n0 2\n222b\n0",
  ],
  // Under `set -e` a command whose redirection or assignment fails ends the shell, and so does a bad expansion.
  [
    "set +e; for c in '{ :; } < none' 'while :; do break; done < none' 'f() { :; } < none; f' 'readonly r; r=1' 'readonly r; r=1 true' 'a[-9]=' 'x=${none?}' '{ :; } < none || :' 'if { :; } < none; then :; fi' 'readonly r; r=1 || :' 'echo $((1/0))'; do bash -c \"set -e\n$c\necho on\" 2> /dev/null; echo -n \"$? \"; done; trap 'echo err $LINENO' ERR; { :; } < none 2> /dev/null; f() {\nfalse\n}\nf",
    "1 1 1 1 1 1 1 on\n0 on\n0 1 on\n0 err 3\nerr 6\n1",
  ],
];

it.each(ANSWERS)("%s", async (script, printed) => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, exitCode } = await shell.exec(script, { cwd: "/" });
  expect(stdout + exitCode).toBe(printed);
});
