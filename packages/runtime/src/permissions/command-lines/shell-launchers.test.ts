import { describe, expect, it } from "vitest";
import { evaluatePermission } from "../evaluate-permission.ts";

const allowing = (rule: string, command: string): string =>
  evaluatePermission("Bash", { command }, "default", { allow: [rule] });

describe("an allowed command", () => {
  it.each([
    "time make x",
    "time -p make x",
    "nohup make x",
    "command make x",
    "builtin make x",
    "noglob make x",
    "timeout 5 make x",
    "timeout 1.5m make x",
    "timeout -k 5 10s make x",
    "timeout -s KILL -v 5 make x",
    "timeout --signal=KILL --kill-after=5 --foreground 1h make x",
    "timeout -sKILL 5 make x",
    "timeout --preserve-status --verbose 5d make x",
    "nice make x",
    "nice -n 5 make x",
    "nice -n -5 make x",
    "nice -5 make x",
    "nice -n5 make x",
    "stdbuf -oL -e0 make x",
    "CI=1 make x",
    "NODE_ENV=test LC_ALL=C timeout 5 nice make x",
    "time nohup make x",
    "nice -n 15 make x",
    "nice -15 make x",
    "stdbuf -o10 make x",
  ])("runs behind wrappers without effect: %j", (command) => {
    expect(allowing("Bash(make *)", command)).toBe("auto");
  });

  it.each([
    "time -o log make x",
    "time -v make x",
    "command -p make x",
    "nohup -x make x",
    "timeout make x",
    "timeout 5",
    "timeout 5x make x",
    "timeout -z 5 make x",
    "timeout -k make x",
    "timeout --kill-after=$(x) 5 make x",
    "timeout 5 -x make x",
    "nice -n make x",
    "nice -n x make x",
    "nice -x make x",
    "stdbuf -o make x",
    "stdbuf -oX make x",
    "env make x",
    "PATH=. make x",
    "CI='$(x)' make x",
    "XCI=1 make x",
    "A=1 make x",
    "~/make x",
    "sudo make x",
    "time a-p make x",
    "time -px make x",
    "timeout x-v 5 make x",
    "timeout -vx 5 make x",
    "timeout -k5.5 5 make x",
    "timeout -k5.5 5 5 make x",
    "timeout x-k 5 5 make x",
    "timeout -k a.5 5 make x",
    "nice x 5 make x",
    "nice -n x5 make x",
    "nice -n 5x make x",
    "nice x-5 make x",
    "nice -5x make x",
    "stdbuf x-oL make x",
    "stdbuf -oLx make x",
  ])("needs approval behind any other wrapper: %j", (command) => {
    expect(allowing("Bash(make *)", command)).toBe("approve");
  });
});

it("may be named like an option", () => {
  expect(allowing("Bash(make- *)", "nohup make- x")).toBe("auto");
});

/** Decides under a rule that allows the command's first word with any arguments. */
const withStar = (command: string): string =>
  allowing(`Bash(${command.split(" ")[0] ?? ""} *)`, command);

describe("a rule with a star for a launcher", () => {
  const SHELLS = "bash sh zsh dash ksh ash fish csh tcsh rbash busybox toybox powershell pwsh cmd";
  const BUILTINS =
    "eval exec source . trap export declare typeset alias hash enable command builtin noglob readonly local let " +
    "read mapfile readarray getopts history fc bind complete compgen shopt set unset unalias pushd popd dirs help";
  const CHANGING_THE_ENVIRONMENT =
    "env nohup timeout time nice ionice stdbuf setsid chroot unshare setarch chrt taskset prlimit runcon nsenter " +
    "setpriv fakeroot fakechroot eatmydata cpulimit chpst softlimit envdir cross-env cross-env-shell dotenv numactl " +
    "unbuffer faketime torsocks proxychains proxychains4 caffeinate direnv rlwrap firejail ld.so";
  const CHANGING_THE_USER = "sudo doas su su-exec runuser pkexec gosu setuidgid systemd-run wsl";
  const STARTING_A_SERVICE =
    "ssh-agent start-stop-daemon dbus-run-session dbus-launch xvfb-run tini dumb-init daemonize";
  const WAITING_OR_REPEATING = "xargs parallel watch flock entr at batch crontab run-parts";
  const TRACERS = "strace ltrace perf gdb lldb valgrind script expect";
  const INTERPRETERS = "awk gawk mawk nawk sed gsed osascript";
  const WITH_COMMANDS = "vim vi nvim ex ed emacs less more man info apropos whatis tmux screen";
  const ELSEWHERE = "ssh mosh socat nc ncat netcat xdg-open open";

  it.each([
    ["a shell", SHELLS],
    ["a builtin of a shell", BUILTINS],
    ["a command that changes its environment", CHANGING_THE_ENVIRONMENT],
    ["a command that changes its user", CHANGING_THE_USER],
    ["a command that starts a service", STARTING_A_SERVICE],
    ["a command that waits or repeats", WAITING_OR_REPEATING],
    ["a tracer", TRACERS],
    ["an interpreter", INTERPRETERS],
    ["a program with commands of its own", WITH_COMMANDS],
    ["a connection or a desktop", ELSEWHERE],
  ])("needs approval for a program behind %s", (_, names) => {
    const allowed = names.split(" ").filter((name) => withStar(`${name} ./frob x`) !== "approve");
    expect(allowed).toEqual([]);
  });

  it("needs approval for subcommands of git that start programs", () => {
    const running =
      "bisect difftool filter-branch filter-repo mergetool submodule send-email instaweb web--browse help hook " +
      "credential daemon fsmonitor--daemon maintenance gui citool p4 svn shell receive-pack upload-pack upload-archive";
    const allowed = running.split(" ").filter((name) => withStar(`git ${name} x`) !== "approve");
    expect(allowed).toEqual([]);
  });

  it.each([
    "split --filter='./frob x' a",
    "split -l 5 --fil=./frob a",
    "setpriv --reuid=1 ./frob x",
    "ssh-agent ./frob x",
    "start-stop-daemon -S -x ./frob -- x",
    "sqlite3 :memory: '.shell ./frob x'",
    "sqlite3 a.db 'select 1' '.system ./frob x'",
    "sqlite3 a.db \"select edit('x', './frob')\"",
    "sqlite3 -cmd '.shell ./frob x' a.db 'select 1'",
    "sqlite3 -init a.sql a.db 'select 1'",
    "sqlite3 a.db",
    "/lib64/ld-linux-x86-64.so.2 ./frob x",
    "/lib/ld-musl-x86_64.so.1 ./frob x",
    "install -s --strip-program=./frob a b",
    "install -s --strip-p ./frob a b",
    "fakeroot -- ./frob x",
    "eatmydata ./frob x",
    "cpulimit -l 5 ./frob x",
    "chpst -u me ./frob x",
    "cross-env A=1 ./frob x",
    "dbus-run-session -- ./frob x",
  ])("needs approval for another program: %j", (command) => {
    expect(withStar(command)).toBe("approve");
  });

  it.each([
    "split -l 5 a",
    "split --lines=5 --additional-suffix=.txt a b",
    "sqlite3 a.db 'select 1'",
    "sqlite3 -readonly a.db 'select a.b from a'",
    "install a b",
    "install -m 755 --strip a b",
    "ldd ./frob",
  ])("runs what starts no program: %j", (command) => {
    expect(withStar(command)).toBe("auto");
  });
});

describe("a rule with a star", () => {
  it.each([
    "~/bin/x a",
    "a=b c",
    "node",
    "node -",
    "node --version x.js --eval=1",
    "node --versionx",
    "node --x--version",
    "git --list config a b",
    "git clone -qc a=b y",
    "tar xvIf x a",
    "tar xIvf x a",
    "node -r ./x.js",
    "node --import=./x.js y.js",
    "python3 -c 1",
    "python3 -i",
    "pypy3 -c 1",
    "nodejs --eval 1",
    "tsx -e 1",
    "php -r 1",
    "lua5.4 -e 1",
    "perl -Mx y",
    "ruby -rx y",
    "deno --eval 1",
    "bun --print 1",
    "git -c a=b log",
    "git -ca=b log",
    "git -C x -c a=b log",
    "git --no-pager -c a=b log",
    "git bisect run x",
    "git difftool",
    "git config a b",
    "git config core.fsmonitor list",
    "git config alias.x '!x' get",
    "git config alias.x -- --get",
    "git config --file --get -f .git/config alias.x log",
    "git --work-tree . -c core.fsmonitor=./x status",
    "git --namespace x -c core.pager=x log",
    "git grep -nOx a",
    "git grep -lO a",
    "git init --template=x",
    "git clone --te x https://h/r",
    "git merge-index ./x -a",
    "git remote-ext a x",
    "git config --global a b",
    "git rebase -ix x",
    "git clone -u x y",
    "git clone --config a=b y",
    "git clone -c a=b y",
    "git clone --co=a=b y",
    "git clone --u=./x y",
    "git ls-remote --up ./x y",
    "git push --rece=x",
    "git push --exe=x",
    "git diff -Ox",
    "git log --outp=x",
    "git fetch --upl=x",
    "git push --exec=x",
    "tar xIf x a",
    "tar -Ix a",
    "tar --use-comp=x a",
    "tar --info-script=x a",
    "find . -delete",
    "find . -okdir x",
    "find . -fprintf x y",
    "fd x -X y",
    "fdfind x --exec y",
    "rsync -e ./x a h:b",
    "scp -S ./x a h:b",
    "zip -TT ./x a.zip b",
    "cargo --config x build",
    "rg -z x",
    "rg --search-zip x",
    "sort --o=x a",
    "sort -no x a",
    "wget -e a=b x",
    "curl -K x",
    "curl --config x",
    "sftp -D x",
    "printf -v x y",
    "test -v x",
    "file -C",
    "npm run --script-shell=x y",
    "npm --userconfig x y",
    "pnpm --config.x=y z",
    "yarn --use-yarnrc x",
    "make SHELL=x y",
    "make 'SHELL := x' y",
    "gmake -E x",
    "go test -exec x",
    "go build --toolexec=x",
    "docker --config x ps",
    "docker run --entrypoint x y",
    "date --set=x",
    "ls --hyperlink",
    "/usr/bin/env x",
    "/bin/bash x",
    "ld.so x",
    "xdg-open x",
    ". x",
  ])("does not allow %j", (command) => expect(withStar(command)).toBe("approve"));

  it.each([
    "node --version",
    "python3 -V",
    "ruby --help",
    "node x.js --flag",
    "python3 x.py a",
    "node-gyp -e",
    "mynode -e 1",
    "git log -1",
    "git -C x log -c",
    "git --no-pager log",
    "git config --get user.name",
    "git config -l",
    "git config get user.name",
    "git config --global --get user.name",
    "git config --show-origin --list",
    "git --work-tree . log",
    "git grep -n -A3 -eTODO",
    "git grep -neTODO",
    "git init x",
    "git rebase main",
    "git rebase --exact",
    "git switch -c x",
    "git commit -x",
    "git clone https://h/r",
    "git fetch --all",
    "git fetch --unshallow",
    "git fetch --update-head-ok",
    "git status --untracked-files",
    "git diff --exit-code",
    "git ls-files --exclude x",
    "hub bisect",
    "tar xf a",
    "tar I.tar",
    "tar a-I b",
    "git clone x-c",
    "tar -tf I.tar",
    "tart I",
    "find . -name exec",
    "find . -print",
    "fd -t f x",
    "rg --type=ts x",
    "sort -nr a",
    "rsync -a b c",
    "wget https://h/a",
    "curl https://h/a",
    "file -b a",
    "npm run shell",
    "npm test --shellx",
    "make -j4 x",
    "make MYSHELL=x",
    "go test ./...",
    "docker ps --all",
    "date -u",
    "ls --human-readable",
    "benv x",
    "bashful x",
  ])("allows %j", (command) => {
    expect(withStar(command)).toBe("auto");
  });
});
