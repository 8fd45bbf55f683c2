/** Rules of everyday work, as the dialog suggests them or as documentation shows them. */
export const USUAL_RULES: readonly string[] = [
  "Bash(npm test)",
  "Bash(npm test *)",
  "Bash(npm run *)",
  "Bash(npm ci)",
  "Bash(npm install)",
  "Bash(npm ls *)",
  "Bash(pnpm *)",
  "Bash(npx tsc *)",
  "Bash(npx vitest *)",
  "Bash(npx prettier *)",
  "Bash(npx eslint *)",
  "Bash(node scripts/*)",
  "Bash(git add *)",
  "Bash(git commit *)",
  "Bash(git switch *)",
  "Bash(git checkout *)",
  "Bash(git stash *)",
  "Bash(git fetch *)",
  "Bash(git pull *)",
  "Bash(git branch *)",
  "Bash(git merge *)",
  "Bash(git restore *)",
  "Bash(make *)",
  "Bash(cargo *)",
  "Bash(go test *)",
  "Bash(go build *)",
  "Bash(go vet *)",
  "Bash(python -m pytest *)",
  "Bash(pytest *)",
  "Bash(ruff *)",
  "Bash(mkdir *)",
  "Bash(touch *)",
  "Bash(cp *)",
  "Bash(mv *)",
  "Bash(docker ps *)",
  "Bash(docker compose *)",
];

const each = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Ordinary lines that a person with these rules expects to run at once. */
export const EXPECTED_TO_RUN: readonly string[] = each(`
  npm test
  npm test -- --watch=false
  npm test -- src/rules.test.ts
  npm test 2>&1
  npm test 2>&1 | tail -20
  npm test 2>&1 | tail -n 40
  npm test 2>&1 | head -100
  npm test | grep -i fail
  npm test 2>/dev/null
  npm test > /dev/null 2>&1
  CI=1 npm test
  NODE_ENV=test npm test
  CI=true NODE_ENV=test npm run test:unit
  FORCE_COLOR=0 npm test
  time npm test
  timeout 60 npm test
  timeout 120s npm run build
  timeout -k 5 60 npm test
  nice -n 10 npm run build
  npm run build
  npm run lint
  npm run lint -- --fix
  npm run typecheck
  npm run build && npm test
  npm run lint && npm run typecheck && npm test
  npm run build; npm test
  npm run build || echo failed
  npm ci
  npm ci && npm test
  npm install
  npm ls --depth=0
  npm ls react
  pnpm install
  pnpm install --frozen-lockfile
  pnpm test
  pnpm run build
  pnpm -r build
  pnpm --filter web test
  pnpm lint | tail -5
  pnpm exec tsc --noEmit
  pnpm add -D vitest
  pnpm why react
  pnpm outdated
  npx tsc --noEmit
  npx tsc --noEmit | head -30
  npx tsc -p tsconfig.json --noEmit 2>&1 | head -50
  npx vitest run
  npx vitest run src/rules.test.ts
  npx vitest run --reporter=verbose 2>&1 | tail -40
  npx prettier --check .
  npx prettier --write src/rules.ts
  npx prettier --write "src/**/*.ts"
  npx prettier --check src/*.ts
  npx eslint src
  npx eslint src --fix
  npx eslint --ext .ts,.tsx src
  node scripts/build.mjs
  node scripts/seed.js --dry-run
  git status
  git status -s
  git status --short
  git status --porcelain
  git status -sb
  git status && git diff --stat
  git diff
  git diff --stat
  git diff --cached
  git diff --staged --stat
  git diff HEAD~1
  git diff main..feature
  git diff main...feature --name-only
  git diff --name-only HEAD
  git diff -- src/rules.ts
  git diff src/rules.ts
  git diff | head -100
  git diff -U10 src/rules.ts
  git diff -w
  git log
  git log --oneline
  git log --oneline -10
  git log --oneline -n 20
  git log -5
  git log -n 5 --stat
  git log --oneline --graph --all
  git log --graph --decorate --oneline | head -40
  git log -p -2 -- src/rules.ts
  git log --since=yesterday
  git log --author=ann --oneline
  git log --format=%H -1
  git log --pretty=format:"%h %s" -10
  git log --oneline main..HEAD
  git log --follow src/rules.ts
  git log --grep=fix -i --oneline
  git show
  git show HEAD
  git show HEAD --stat
  git show HEAD:src/rules.ts
  git show HEAD~2:package.json
  git show --name-only HEAD
  git blame src/rules.ts
  git blame -L 10,20 src/rules.ts
  git branch
  git branch -a
  git branch --show-current
  git branch -vv
  git branch feature/new
  git rev-parse HEAD
  git rev-parse --abbrev-ref HEAD
  git rev-parse --show-toplevel
  git remote -v
  git ls-files
  git ls-files | wc -l
  git ls-files --others --exclude-standard
  git describe --tags
  git tag -l
  git stash list
  git stash
  git stash pop
  git add .
  git add -A
  git add src/rules.ts test/rules.test.ts
  git add -u && git commit -m "Fix the rules"
  git commit -m "Fix the rules"
  git commit -m 'Fix: handle && in names'
  git commit --amend --no-edit
  git commit -am "Tidy"
  git switch main
  git switch -c feature/rules
  git checkout main
  git checkout -b feature
  git checkout -- src/rules.ts
  git restore src/rules.ts
  git restore --staged src/rules.ts
  git fetch origin
  git fetch --all --prune
  git pull
  git pull --rebase
  git merge main
  git merge --no-ff feature
  git shortlog -sn
  git grep -n TODO
  git grep -n "parse(" -- src
  git merge-base main HEAD
  git cat-file -p HEAD
  git reflog
  git --no-pager log --oneline -5
  git --no-pager diff --stat
  git --version
  ls
  ls -la
  ls -l src
  ls -R src
  ls src test
  ls -la | head -20
  ls src/*.ts
  ls *.md || true
  ls -1 src | wc -l
  ls node_modules/.bin | grep tsc
  ls -lh dist
  tree -L 2
  tree src
  pwd
  whoami
  date
  date +%Y-%m-%d
  uname -a
  id -un
  echo hello
  echo "hello world"
  echo done
  cat package.json
  cat src/rules.ts
  cat src/rules.ts src/index.ts
  cat README.md | head -40
  cat package.json | jq .scripts
  cat -n src/rules.ts
  cat ./src/rules.ts
  cat /workspace/package.json
  head -50 src/rules.ts
  head -n 20 README.md
  head -c 200 README.md
  tail -20 build.log
  tail -n +10 src/rules.ts
  wc -l src/rules.ts
  wc -l src/*.ts
  wc -c package.json
  grep -n "parse" src/rules.ts
  grep -rn "parse" src
  grep -rn "parse" src test
  grep -rn "TODO" src --include=*.ts
  grep -rn --include="*.ts" "parse" .
  grep -ri error src | head -20
  grep -rl "parse" src
  grep -c import src/index.ts
  grep -A3 -B3 "parse" src/rules.ts
  grep -E "foo|bar" src/rules.ts
  grep -v "^#" config.txt
  grep -o "v[0-9.]*" CHANGELOG.md
  grep -q parse src/rules.ts && echo found
  grep -n -i "parse" src/rules.ts | head -5
  grep -rnw "parse" src
  rg parse
  rg -n parse src
  rg -n "parse\\(" src
  rg -l parse --type ts
  rg -t ts parse
  rg -g "*.ts" parse
  rg --files
  rg --files | head -50
  rg --files -g "*.test.ts" | wc -l
  rg -i todo src -C 2
  rg -A 5 -B 2 parse src/rules.ts
  rg -c parse src
  rg -w parse src | sort | uniq -c
  find . -name "*.ts"
  find . -name "*.ts" -not -path "./node_modules/*"
  find src -type f
  find src -type f -name "*.test.ts" | wc -l
  find . -maxdepth 2 -type d
  find . -iname readme.md
  find src -mtime -1
  find . -name node_modules -prune -o -name "*.ts" -print
  find src -name "*.ts" -size +10k
  find . -type f \\( -name "*.ts" -o -name "*.js" \\) | head
  find src -empty
  sed -n 1,40p src/rules.ts
  sed -n "10,20p" src/rules.ts
  sed -n '/export/p' src/rules.ts
  sed 's/foo/bar/g' src/rules.ts
  sed -n '$p' src/rules.ts
  awk '{print $1}' data.txt
  awk -F, '{print $2}' data.csv
  awk 'NR==5' src/rules.ts
  cut -d: -f1 data.txt
  cut -f2 data.tsv
  sort data.txt
  sort -u data.txt
  sort -k2 -n data.txt
  sort data.txt | uniq -c | sort -rn | head
  uniq -c data.txt
  tr a-z A-Z
  echo abc | tr a-z A-Z
  diff src/a.ts src/b.ts
  diff -u src/a.ts src/b.ts
  cmp a.bin b.bin
  comm -12 a.txt b.txt
  jq . package.json
  jq -r .version package.json
  jq '.scripts | keys' package.json
  jq -r '.dependencies | keys[]' package.json
  stat package.json
  file dist/app.js
  du -sh dist
  du -h --max-depth=1
  df -h
  basename src/rules.ts
  dirname src/rules.ts
  realpath src
  which node
  which npm pnpm
  type npm
  command -v node
  node --version
  python3 --version
  go --version
  test -f package.json
  test -f package.json && echo yes
  test -d dist || echo missing
  md5sum package.json
  sha256sum dist/app.js
  xxd -l 64 data.bin
  od -c data.bin
  hexdump -C data.bin
  strings dist/app.bin
  nl src/rules.ts
  column -t data.txt
  tac build.log
  rev data.txt
  seq 1 10
  sleep 1
  sleep 2 && npm test
  true
  cd src
  cd src && ls
  cd packages/core && npm test
  cd /workspace && npm test
  cd /workspace && git status
  cd packages/core && npm run build && cd ../.. && npm test
  ls && pwd
  ls; pwd; git status
  pwd && ls -la && git log --oneline -3
  mkdir src/new
  mkdir -p src/new/deep
  mkdir -p dist && cp src/a.txt dist/a.txt
  touch src/new.ts
  cp src/a.ts src/b.ts
  cp -r templates/app src/app
  cp src/*.json dist/
  mv src/a.ts src/b.ts
  mv src/old.ts src/new.ts && npm test
  make
  make test
  make build && make test
  make -j4
  make lint 2>&1 | tail -5
  cargo build
  cargo test
  cargo test -- --nocapture
  cargo clippy
  cargo fmt --check
  cargo check 2>&1 | head -40
  RUST_BACKTRACE=1 cargo test
  RUST_LOG=debug cargo run
  go test ./...
  go test -run TestRules ./pkg
  go test -v ./... 2>&1 | tail -30
  go build ./...
  go vet ./...
  GOOS=linux go build ./cmd/app
  python -m pytest
  python -m pytest -x tests/test_rules.py
  pytest -q
  pytest tests -k rules
  pytest -x 2>&1 | tail -20
  PYTHONUNBUFFERED=1 pytest -q
  ruff check .
  ruff format src
  docker ps
  docker ps -a
  docker compose up -d
  docker compose logs
  docker compose ps | grep web
  npm test && git add -A && git commit -m "Work"
  npm test -- --reporter=dot 2>&1 | grep -E "passed|failed"
  printf "%s" hello
  wc -l < src/rules.ts
  sort < data.txt
  echo $HOME/x
  nproc
  uptime
  hostname
  free -m
`);

/** Ordinary lines that the same person expects to be asked about: no rule speaks of them, or they reach further. */
export const EXPECTED_TO_ASK: readonly string[] = each(`
  rm -rf dist
  rm src/rules.ts
  git push
  git push --force
  git reset --hard
  git rebase main
  git clean -xdf
  git config user.name x
  npm publish
  npm uninstall react
  npx create-app x
  curl https://example.com
  wget https://example.com/a.tar
  ssh host ls
  docker run -it alpine
  chmod +x run.sh
  kill 123
  sudo npm test
  cat .env
  cat ../other/secret.txt
  cat ~/.ssh/id_rsa
  ls /etc
  cat /etc/passwd
  grep -r key /home
  node -e "1"
  python -c "1"
  env
  printenv
  npm test > out.txt
  echo x > src/a.ts
  sed -i s/a/b/ src/rules.ts
  find . -name x -delete
  cd /tmp && npm test
  cd .. && ls
  cp src/a.ts /tmp/a.ts
  mv src ../src
  bash run.sh
  ./run.sh
`);
