/**
 * Builds `packages/runtime/vendor/just-bash.js` from the just-bash package: the interpreter in one file, every command
 * in a chunk of its own that loads when a script first runs it, and nothing that a bundler for the browser or for a
 * worker could stumble over. Run it with `node scripts/vendor.ts`; it writes everything new or fails.
 */
import {
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";

const runtime = join(import.meta.dirname, "../packages/runtime");
const source = realpathSync(join(runtime, "node_modules/just-bash"));
const target = join(runtime, "vendor");
/** Built beside the old files and swapped at the end, because tests may be reading those. */
const fresh = `${target}-${process.pid}`;

/** What just-bash imports for commands that need a process. Each name says so when it is used, not when it is loaded. */
const absent: Record<string, readonly string[]> = {
  "@mongodb-js/zstd": [],
  "node-liblzma": [],
  "node:async_hooks": ["AsyncLocalStorage"],
  "node:crypto": ["randomBytes"],
  "node:dns": ["lookup"],
  "node:fs": ["existsSync"],
  "node:fs/promises": ["open"],
  "node:module": [],
  "node:path": ["dirname", "join", "sep"],
  "node:url": ["fileURLToPath"],
  "node:worker_threads": ["Worker"],
  "node:zlib": ["constants", "gunzipSync", "gzipSync"],
  "quickjs-emscripten": [],
  "seek-bzip": ["default"],
  "sql.js": ["default"],
  undici: [],
};

interface Patch {
  why: string;
  find: RegExp;
  /** `%expandWord%` and `%context%` stand for what the interpreter calls them. */
  replace: string;
  /** How often it is found; 1 unless told. */
  times?: number;
}

/** Changes to the minified interpreter. Each must match as often as it says, so a new release can't drop one unnoticed. */
const patches: readonly Patch[] = [
  {
    why: "the file system sees every statement before it runs: there the shell yields, aborts and streams",
    find: /async executeStatement\((\w+)\)\{/g,
    replace:
      "executeStatement($1){return this.ctx.fs.runStatement($1,()=>runStatement(this,$1,()=>this.runStatement($1)),this.ctx)}async runStatement($1){",
  },
  {
    why: "the file system is asked about every command before it runs, with its words as they are after expansion",
    find: /async runCommand\((\w+),(\w+),([^)]*=-1[^)]*)\)\{/g,
    replace:
      "async runCommand($1,$2,$3){let refusal=this.ctx.fs.refuseCommand([$1,...$2],this.ctx.state.cwd);" +
      "if(refusal!==void 0&&(refusal=await refusal))return refusal;",
  },
  {
    why: 'a command\'s name may expand to several words, as in "$@"',
    find: /let (\w+)=await \w+\(this\.ctx,(\w+)\.name\),(\w+)=\[\],(\w+)=\[\],(.{0,1000}?)await (\w+)\(this\.ctx,(\w+)\);for\(let (\S{1,3}) of (\w+)\.values\)/g,
    replace:
      "let named=await $6(this.ctx,$2.name),$1=named.values[0]??'',$3=named.values.slice(1),$4=$3.map(()=>named.quoted)," +
      "$5await $6(this.ctx,$7);for(let $8 of $9.values)",
  },
  {
    why: "trap keeps what a shell runs at its end and after a failure; an empty redirection is no missing one",
    find: /(async runCommand(\((\w+),(\w+),[^)]*=-1[^)]*\)\{))(let refusal.*?return refusal;)/g,
    replace:
      '$1if(arguments[7]&&arguments[3]===""&&this.ctx.state.groupStdin!==void 0)' +
      'return withoutInput(this.ctx.state,()=>this.runCommand($3,$4,arguments[2],"",arguments[4],arguments[5],arguments[6]));' +
      '$5if($3==="trap")return trap(this,$4);' +
      "return runProgram(this,$3,$4,arguments[3],arguments[7],(stdin,words)=>this.runNamed(" +
      "$3,words,arguments[2],stdin,arguments[4],arguments[5],arguments[6],arguments[7]))}async runNamed$2",
  },
  {
    why: "a script ends with its trap",
    find: /async executeScript\((\w+)\)\{this\.assertDefenseContext/g,
    replace:
      "async executeScript($1){return runScript(this,()=>this.runScript($1))}async runScript($1){this.assertDefenseContext",
  },
  {
    why: "a subshell ends with its own trap",
    find: /async function (\w+)\((\w+),(\w+),(\w+),(\w+),(\w+)\)(\{\(\6\|\|\4\)&&\(\2\.state\.groupStdin=\4\);let \w+=new \w+\(\2\.executionScope,"subshell"\))/g,
    replace:
      "function $1($2,$3,$4,$5,$6){return runSubshell($2,()=>subshell$1($2,$3,$4,$5,$6))}async function subshell$1($2,$3,$4,$5,$6)$7",
  },
  {
    why: "stages of a pipeline that print over time run side by side",
    find: /(\w+)=await (\w+)\((\w+),(\w+)\)(\}catch\((\S{1,3})\)\{if\(\6 instanceof \w+\)\1=\{stdout:\6\.stdout,stderr:\6\.stderr,exitCode:1\};else if\(\6 instanceof \w+&&(\w+)\.commands\.length>1\))/g,
    replace: "$1=await runStage(%context%,$7,$3,()=>$2($3,$4))$5",
  },
  {
    why: "what a stage has counted is right whatever other stages count meanwhile",
    find: /(accountResult\(\w+,"pipeline"),\w+\.executionScope\.outputBytesUsed-\w+\)/g,
    replace: "$1)",
  },
  {
    why: "what a pipeline prints is handed on as soon as it is done",
    find: /async executePipeline\((\w+)\)\{return (\w+\(this\.ctx,\1,\(\w+,\w+\)=>this\.executeCommand\(\w+,\w+\)\))\}/g,
    replace: "executePipeline($1){return runPipeline(this,()=>$2)}",
  },
  {
    why: "what a command with redirections prints is not handed on",
    find: /async executeCommand\((\w+),(\w+),(\w+)=!1\)\{/g,
    replace:
      "executeCommand($1,$2,$3=!1){return runCommand(this,$1,()=>this.runRedirected($1,$2,$3))}" +
      "async runRedirected($1,$2,$3){",
  },
  {
    why: "a program can read and print while the programs before and after it run",
    find: /exec:\((\w+),(\w+)\)=>(\w+)\.execFn\(\1,\2,!1\)/g,
    replace: "stream:$3.stream,exec:($1,$2)=>$3.execFn($1,passedOn($3,$2),!1)",
  },
  {
    why: "a shell that a program starts reads and prints where the program does",
    find: /(execWithInheritedStdin:\((\w+),(\w+)\)=>(\w+)\.execFn\(\2,\{)\.\.\.\3,/g,
    replace: "$1...inherited($4,$3),",
  },
  {
    why: "an awk program runs over its records as they come",
    find: /(await \w+\("stdin processing",\(\)=>)((\w+)\("",(\w+)\((\w+)\.stdin\)\))(\);return await \w+\("END execution",\(\)=>(\w+)\.executeEnd)/g,
    replace:
      "$1canReadRecords($5.stream,arguments[0])?readRecords($5.stream,$7.getContext(),text=>$3('',$4(text))):$2$6",
  },
  {
    why: "records are counted on from one part of the input to the next",
    find: /,(\w+)\.FNR=0,/g,
    replace: ",$1.isContinued||($1.FNR=0),",
  },
  {
    why: "a program that reads all of its input waits for it",
    find: /get stdin\(\)\{return (\w=!0,\w\},limits:(\w+)\.limits)/g,
    replace: "get stdin(){wantInput($2);return $1",
  },
  {
    why: "a pattern that ends in a slash stands for directories",
    find: /async expand\((\w+)\)\{if\(this\.globstar\)/g,
    replace:
      'async expand($1){if(/[^/]\\/+$/.test($1))return directoriesOf(await this.expand($1.replace(/\\/+$/,"")),' +
      "path=>this.fs.stat(this.fs.resolvePath(this.cwd,path)).then(stat=>stat.isDirectory,()=>false));if(this.globstar)",
  },
  {
    why: "bits are counted to 64, as in bash",
    find: /case"(<<|>>|&|\||\^)(=?)":return (\w)(?:<<|>>|&|\||\^)(\w);/g,
    replace: 'case"$1$2":return bitwise($3,"$1",$4);',
    times: 10,
  },
  {
    why: "a shift inside (( )) is no here-document",
    find: /(if\((\w)==="<"&&(\w)==="<")(&&\w==="-")?\)(return this\.pos=)/g,
    replace: "$1$4&&this.dparenDepth===0)$5",
    times: 2,
  },
  {
    why: "expansions inside arithmetic are those outside of it, and what they give is computed",
    find: /let (\w+)=new (\w+),\{expr:(\w+)\}=(\w+)\(\1,(\w+),0\);return await (\w+)\(\3\)\}case"ArithNested":return await \6\((\w+)\.expression\);case"ArithCommandSubst":\{if\((\w+)\.execFn.{0,400}?return 0\}case"ArithBracedExpansion":\{.{0,120}?\|\|0\}/g,
    replace:
      'let $1=new $2,{expr:$3}=$4($1,$5,0);return await $6($3)}case"ArithNested":return await $6($7.expression);' +
      'case"ArithCommandSubst":case"ArithBracedExpansion":{' +
      'let source=$7.type==="ArithCommandSubst"?"$("+$7.command+")":"${"+$7.content+"}";' +
      "let text=(await %expandWord%($8,new $2().parseWordFromString(source,!0,!1))).trim();" +
      'if(/^-?(0|[1-9]\\d*)$/.test(text))return Number(text);if(text==="")return 0;' +
      "let{expr:inner}=$4(new $2,text,0);return await $6(inner)}",
  },
  {
    why: "an awk program can ask the file system for a pause",
    find: /requireDefenseContext:(\w+)\.requireDefenseContext\}\);(\w+)\.FS=/g,
    replace: "requireDefenseContext:$1.requireDefenseContext});$2.pace=()=>$1.fs.pace?.();$2.FS=",
  },
  {
    why: "an awk program lets others have a turn between its statements, and ends when it is told to",
    find: /async function (\w+)\((\w+),(\w+)\)\{switch\((\w+)\(\2,"single statement execution"\),/g,
    replace:
      'async function $1($2,$3){let pause=$2.pace?.();if(pause)await pause;switch($4($2,"single statement execution"),',
  },
  {
    why: "((a>=b)) without spaces is an operator, not a syntax error",
    find: /!\((\w+)==="="&&(\/\[\|&\^\+\\-\*\/%<>\]\$\/)/g,
    replace: '!($1.startsWith("=")&&$2',
  },
  {
    why: "a redirection to a file that can't be opened fails the command, not the whole script",
    find: /catch\((\w+)\)\{if\(!\w+\)throw \1;return\{error:(\w+)\("",`bash: \$\{(\w+)\}: cannot open redirect target\n`/g,
    replace:
      'catch($1){return{error:$2("",`bash: $${$3}: $${$1.reason??"cannot open redirect target"}\n`',
  },
  {
    why: "a basic regular expression of grep may have \\+ and \\?",
    find: /if\((\w+)==="\|"\)\{(\w+)\+="\|",(\w+)\+=2,(\w+)=!0;continue\}/g,
    replace:
      'if($1==="+"||$1==="?"){$2+=$1,$3+=2,$4=!1;continue}if($1==="|"){$2+="|",$3+=2,$4=!0;continue}',
  },
  {
    why: "a shell started by a script exports what it was given, and its options stay its own",
    find: /previousDir:(\w+)\.env\?\.OLDPWD\?\?this\.state\.previousDir,/g,
    replace:
      "previousDir:$1.env?.OLDPWD??this.state.previousDir," +
      "exportedVars:new Set([...($1.replaceEnv?[]:this.state.exportedVars),...Object.keys($1.env??{})])," +
      "readonlyVars:new Set(this.state.readonlyVars),shoptOptions:{...this.state.shoptOptions},sink:$1.sink,input:$1.input,",
  },
  {
    why: "a script given to `bash -c` keeps its lines as they are",
    find: /\w+\.rawScript\|\|\(\w+=\w+\(\w+\)\);/g,
    replace: "",
  },
  {
    why:
      "a command gets its context as it is: the proxies around it cost more than most commands, the signal of its own " +
      "that ends with it costs workerd 10 ms, and the shell takes the files away from what it leaves behind",
    find: /function \w+\((\w+),\w+\)\{(?=let \w+=!0,\w+=\1\.signal\?new AbortController:void 0,)/g,
    replace: "$&return{context:$1,revoke(){}};",
  },
  {
    why: "expressions that can't take long run on the host's own engine, which is many times as fast",
    find: /(let (\w+)=\w+\(\w+\),(\w+)=\w+\(\w+\);this\._re2=)(\w+\.compile\(\2,\3\))/g,
    replace: "$1quickened($4,$2,$3)",
  },
  {
    why: "a program that is not there is not found, whatever another build of the shell would have",
    find: /`bash: \$\{(\w+)\}: command not available in browser environments\. Exclude '\$\{\1\}' from your commands or use the Node\.js bundle\.\n`/g,
    replace: "notFound($1)",
  },
  {
    why: "what is not found names what there is in its place",
    find: /`bash: \$\{(\w+)\}: command not found\n`(,127\);if\("error"in )/g,
    replace: "notFound($1)$2",
  },
];

function patched(code: string, counts: Map<Patch, number>): string {
  return patches.reduce((text, patch) => {
    counts.set(patch, (counts.get(patch) ?? 0) + [...text.matchAll(patch.find)].length);
    const replace = patch.replace
      .replaceAll(
        "%expandWord%",
        nameIn(code, /parseWordFromString\(\w+,!0,!1\);\w+=await (\w+)\(/),
      )
      .replaceAll(
        "%context%",
        nameIn(code, /async function \w+\((\w+),\w+,\w+\)\{let \w+=\w+\.timed/),
      );
    return text.replace(patch.find, replace);
  }, code);
}

function nameIn(code: string, pattern: RegExp): string {
  return pattern.exec(code)?.[1] ?? "missing";
}

/** What is added to the interpreter's own module, by the file that it comes from. */
const additions = {
  "just-bash-additions.ts":
    "bitwise,directoriesOf,notFound,runScript,runStatement,runSubshell,setParser,trap,untilExit,withoutInput",
  "vendor/pipelines.ts": "runStage",
  "vendor/programs.ts": "runProgram",
  "vendor/streams.ts": "inherited,lendParts,passedOn,runCommand,runPipeline,wantInput",
};

/** The interpreter's own module, together with what is added to it. */
function withAdditions(code: string): string {
  const imports = Object.entries(additions).map(
    ([file, names]) => `import{${names}}from${JSON.stringify(join(import.meta.dirname, file))};`,
  );
  const parser = nameIn(code, /new (\w+)\(\)\.parseWordFromString/);
  const bytesOf = nameIn(code, /\.pipeStderr\?\.\[\w+\]\?\?!1\?\w+=\w+\(\w+\.stderr\)\+(\w+)\(/);
  const textOf = nameIn(code, /\.appendResult\((?:\w+),(\w+)\(\w+\)\)/);
  const isolate = nameIn(code, /let \w+=(\w+)\(\w+\.state\);\w+\.state\.parentHasLoopContext=/);
  const exit = nameIn(code, /instanceof (\w+)&&\w+\.commands\.length>1\)/);
  const abortion = nameIn(code, /this\.ctx\.state\.signal\?\.aborted\)throw new (\w+)/);
  return (
    `${imports.join("")};${code};setParser((text)=>new ${parser}().parse(text));` +
    `lendParts({bytesOf:${bytesOf},textOf:${textOf},isolate:${isolate},untilExit,` +
    `exit:(code,stdout,stderr)=>new ${exit}(code,stdout,stderr),abortion:()=>new ${abortion}});`
  );
}

/** The module of regular expressions, which every program with a pattern shares. */
function withExpressions(code: string): string {
  const from = JSON.stringify(join(import.meta.dirname, "vendor/expressions.ts"));
  return `import{quickened}from${from};${code}`;
}

/** The module of awk. */
function withRecords(code: string): string {
  const from = JSON.stringify(join(import.meta.dirname, "vendor/records.ts"));
  return `import{canReadRecords,readRecords}from${from};${code}`;
}

function standIn(module: string): string {
  const refuse = `() => { throw new Error(${JSON.stringify(`${module} is not available here`)}); }`;
  const declarations = (absent[module] ?? []).map((name) => {
    const value = name === "constants" ? "{}" : name === "sep" ? '"/"' : refuse;
    return name === "default" ? `export default ${value};` : `export const ${name} = ${value};`;
  });
  return declarations.join("\n") || "export {};";
}

function justBash(counts: Map<Patch, number>): Plugin {
  // Its files start with a `require` made by Node, which nothing that we keep uses.
  const banner =
    'import{createRequire} from"node:module";const require=createRequire(import.meta.url);';
  return {
    name: "just-bash",
    setup(bundler) {
      bundler.onResolve({ filter: /^just-bash$/ }, () => ({
        path: join(source, "dist/bundle/index.js"),
        sideEffects: false,
      }));
      bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === "entry-point" || !(path in absent)) return undefined;
        return { path, namespace: "absent", sideEffects: false };
      });
      bundler.onLoad({ filter: /.*/, namespace: "absent" }, ({ path }) => ({
        contents: standIn(path),
      }));
      // The pinned HTTP client of Node; `fetch` is handed to the shell instead.
      bundler.onLoad({ filter: /chunks[\\/]undici-[^\\/]*\.js$/ }, () => ({
        contents: "export {};",
      }));
      bundler.onLoad({ filter: /just-bash[\\/]dist[\\/]bundle[\\/].*\.js$/ }, ({ path }) => {
        const code = patched(readFileSync(path, "utf8").replace(banner, ""), counts);
        if (path.endsWith("index.js")) return { contents: withAdditions(code) };
        if (code.includes("canReadRecords(")) return { contents: withRecords(code) };
        return { contents: code.includes("=quickened(") ? withExpressions(code) : code };
      });
    },
  };
}

/** The licence texts of just-bash and of every package whose code is in the output. */
function licences(metafile: Metafile): string {
  const packages = new Set([source]);
  for (const input of Object.keys(metafile.inputs)) {
    const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(join(process.cwd(), input));
    if (found?.[1]) packages.add(realpathSync(found[1]));
  }
  // Already bundled into what just-bash publishes, so no input of ours names them.
  for (const name of [
    "fast-xml-parser",
    "file-type",
    "ini",
    "papaparse",
    "re2js",
    "smol-toml",
    "yaml",
  ]) {
    packages.add(realpathSync(join(dirname(source), name)));
  }
  const changes = patches.map(({ why }) => `- ${why}`).join("\n");
  const notice = `# Licences\n\njust-bash is changed here (see scripts/vendor.ts):\n\n${changes}\n\n`;
  const texts = [...packages]
    .sort((one, other) => (one < other ? -1 : 1))
    .map((directory) => {
      const facts = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
      const file = readdirSync(directory).find((name) => /^licen[cs]e/i.test(name));
      const text = file ? readFileSync(join(directory, file), "utf8").trim() : "";
      return `## ${facts.name} ${facts.version} (${facts.license})\n\n${text}\n`;
    });
  return notice + texts.join("\n");
}

function report(metafile: Metafile): void {
  const { outputs } = metafile;
  const main = Object.keys(outputs).find((file) => file.endsWith("/just-bash.js"));
  const eager = new Set<string>();
  const visit = (file: string): void => {
    if (eager.has(file)) return;
    eager.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement") visit(path);
    }
  };
  if (main) visit(main);
  const size = (files: Iterable<string>): string => {
    const contents = [...files].map((file) => readFileSync(file));
    const kilobytes = (bytes: number[]): number =>
      Math.round(bytes.reduce((sum, length) => sum + length, 0) / 1024);
    const plain = kilobytes(contents.map((content) => content.length));
    return `${plain} kB, ${kilobytes(contents.map((content) => gzipSync(content).length))} kB gzipped`;
  };
  console.log(`loaded at first use: ${eager.size} files, ${size(eager)}`);
  console.log(
    `with every command: ${Object.keys(outputs).length} files, ${size(Object.keys(outputs))}`,
  );
}

const counts = new Map<Patch, number>();
process.once("exit", () => rmSync(fresh, { recursive: true, force: true }));
const { metafile } = await build({
  stdin: { contents: 'export { Bash } from "just-bash";', resolveDir: runtime },
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  mainFields: ["module", "main"],
  conditions: ["import", "default"],
  define: { __BROWSER__: "true" },
  outdir: fresh,
  entryNames: "just-bash",
  chunkNames: "just-bash/[name]-[hash]",
  plugins: [justBash(counts)],
  metafile: true,
  logLevel: "warning",
});
for (const patch of patches) {
  const matches = counts.get(patch) ?? 0;
  const { times = 1, why } = patch;
  if (matches !== times) {
    throw new Error(`just-bash has changed: ${matches} places instead of ${times} where ${why}`);
  }
}
const files = Object.keys(metafile.outputs);
for (const file of files) {
  const builtin = /(?:from|import\()\s*"(node:[^"]+)"/.exec(readFileSync(file, "utf8"))?.[1];
  if (builtin) throw new Error(`${file} still imports ${builtin}`);
}
writeFileSync(join(fresh, "LICENSES.md"), licences(metafile));
report(metafile);
rmSync(target, { recursive: true, force: true });
renameSync(fresh, target);
await import("./vendor/git.ts");
await import("./vendor/quickjs.ts");
