/** A change of the interpreter's own code by `scripts/vendor.ts`. */
export interface Patch {
  why: string;
  find: RegExp;
  /** The replacement; `%expandWord%` and `%context%` stand for the interpreter's minified names. */
  replace: string;
  /** Expected matches; default 1. */
  times?: number;
}

/** The bounds of an expensive jq step, by the minified name of its program's context. */
function bounds(context: string): string {
  return `{visit:()=>%visit%(${context}),ended:()=>new %limitError%("","iterations")}`;
}

/**
 * Changes to the minified interpreter. Each must match exactly `times` times, so a new release can't drop one
 * unnoticed.
 */
export const patches: readonly Patch[] = [
  {
    why: "the file system sees every statement before it runs: there the shell yields, aborts and streams",
    find: /async executeStatement\((\w+)\)\{/g,
    replace:
      "executeStatement($1){return this.ctx.fs.runStatement($1,()=>runStatement(this,$1,()=>this.runStatement($1)),this.ctx)}async runStatement($1){",
  },
  {
    why: "the file system is asked about every command before it runs, with its words after expansion",
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
    why: "trap stores the commands for the end of a shell and after a failure; an empty redirection is not a missing one",
    find: /(async runCommand(\((\w+),(\w+),[^)]*=-1[^)]*\)\{))(let refusal.*?return refusal;)/g,
    replace:
      '$1if(arguments[7]&&arguments[3]===""&&this.ctx.state.groupStdin!==void 0)' +
      'return withoutInput(this.ctx.state,()=>this.runCommand($3,$4,arguments[2],"",arguments[4],arguments[5],arguments[6]));' +
      '$5if($3==="trap")return trap(this,$4);' +
      "return runProgram(this,$3,$4,arguments[3],arguments[7],(stdin,words)=>this.runNamed(" +
      "$3,words,arguments[2],stdin,arguments[4],arguments[5],arguments[6],arguments[7]))}async runNamed$2",
  },
  {
    why: "a quoted expansion with a default may name an unset variable, under set -u too",
    find: /(let (\w+)=\w+\.parameter,\w+=await \w+\(\w+,\2\),\w+=await \w+\(\w+,\2)\)(?=,\w+=\w+==="",\w+=\w+\.checkEmpty)/g,
    replace: "$1,!1)",
  },
  {
    why: "set -e is ignored in functions and subshells that are operands of &&, || or !",
    find: /(for\(let (\w+)=0;\2<(\w+)\.pipelines\.length;\2\+\+\)\{[^{}]{1,200}=await )(this\.executePipeline\((\w+)\))/g,
    replace: "$1unchecked(this.ctx.state,$2<$3.pipelines.length-1||$5.negated,()=>$4)",
  },
  {
    why: "an array assigned to a nameref becomes the array of its target",
    find: /(let (\w+)=\w+\(\w+,(\w+)\);if\(\2&&\/[^/]{1,40}\$\/\.test\(\2\)\)return\{continueToNext[^]{1,120}?,1\)\})\}(?=if\()/g,
    replace: "$1;if($2)$3=$2}",
  },
  {
    why: "wait returns the exit status of background jobs",
    find: /if\((\w+)==="wait"\)return \w+;(if\(\1==="type"\)return await \w+\((\w+),(\w+),)/g,
    replace: 'if($1==="wait")return waited($3.state,$4);$2',
  },
  {
    why: "a script runs its EXIT trap at its end",
    find: /async executeScript\((\w+)\)\{this\.assertDefenseContext/g,
    replace:
      "async executeScript($1){return runScript(this,()=>this.runScript($1))}async runScript($1){this.assertDefenseContext",
  },
  {
    why: "a subshell runs its own EXIT trap at its end",
    find: /async function (\w+)\((\w+),(\w+),(\w+),(\w+),(\w+)\)(\{\(\6\|\|\4\)&&\(\2\.state\.groupStdin=\4\);let \w+=new \w+\(\2\.executionScope,"subshell"\))/g,
    replace:
      "function $1($2,$3,$4,$5,$6){return runSubshell($2,()=>subshell$1($2,$3,$4,$5,$6))}async function subshell$1($2,$3,$4,$5,$6)$7",
  },
  {
    why: "stages of a pipeline that print over time run concurrently",
    find: /(\w+)=await (\w+)\((\w+),(\w+)\)(\}catch\((\S{1,3})\)\{if\(\6 instanceof \w+\)\1=\{stdout:\6\.stdout,stderr:\6\.stderr,exitCode:1\};else if\(\6 instanceof \w+&&(\w+)\.commands\.length>1\))/g,
    replace: "$1=await runStage(%context%,$7,$3,()=>$2($3,$4))$5",
  },
  {
    why: "the accounting of a stage is unaffected by concurrent stages",
    find: /(accountResult\(\w+,"pipeline"),\w+\.executionScope\.outputBytesUsed-\w+\)/g,
    replace: "$1)",
  },
  {
    why: "the output of a pipeline is passed on as soon as it ends",
    find: /async executePipeline\((\w+)\)\{return (\w+\(this\.ctx,\1,\(\w+,\w+\)=>this\.executeCommand\(\w+,\w+\)\))\}/g,
    replace: "executePipeline($1){return runPipeline(this,()=>$2)}",
  },
  {
    why: "redirected output of a command is not passed on",
    find: /async executeCommand\((\w+),(\w+),(\w+)=!1\)\{/g,
    replace:
      "executeCommand($1,$2,$3=!1){return runCommandNode(this,$1,($1)=>this.runRedirected($1,$2,$3))}" +
      "async runRedirected($1,$2,$3){",
  },
  {
    why: "the message of an error that ends a list is printed once",
    find: /\.append\("stderr",`\$\{([\w$]+)\(([\w$]+)\)\}(?:\\n|\n)`\)/g,
    replace: '.append("stderr",unprinted($2,$1($2)))',
    times: 2,
  },
  {
    why: "a program can read and print while the programs before and after it run",
    find: /exec:\((\w+),(\w+)\)=>(\w+)\.execFn\(\1,\2,!1\)/g,
    replace: "stream:$3.stream,exec:($1,$2)=>$3.execFn($1,passedOn($3,$2),!1)",
  },
  {
    why: "a shell started by a program shares its input and output",
    find: /(execWithInheritedStdin:\((\w+),(\w+)\)=>(\w+)\.execFn\(\2,\{)\.\.\.\3,/g,
    replace: "$1...inherited($4,$3),",
  },
  {
    why: "a program that reads all of its input waits for it",
    find: /get stdin\(\)\{return (\w=!0,\w\},limits:(\w+)\.limits)/g,
    replace: "get stdin(){wantInput($2);return $1",
  },
  {
    why: "a pattern that ends in a slash matches directories",
    find: /async expand\((\w+)\)\{if\(this\.globstar\)/g,
    replace:
      'async expand($1){if(/[^/]\\/+$/.test($1))return directoriesOf(await this.expand($1.replace(/\\/+$/,"")),' +
      "path=>this.fs.stat(this.fs.resolvePath(this.cwd,path)).then(stat=>stat.isDirectory,()=>false));if(this.globstar)",
  },
  {
    why: "bitwise operators have 64 bits, as in bash",
    find: /case"(<<|>>|&|\||\^)(=?)":return (\w)(?:<<|>>|&|\||\^)(\w);/g,
    replace: 'case"$1$2":return bitwise($3,"$1",$4);',
    times: 10,
  },
  {
    why: "a shift inside (( )) is not a here-document",
    find: /(if\((\w)==="<"&&(\w)==="<")(&&\w==="-")?\)(return this\.pos=)/g,
    replace: "$1$4&&this.dparenDepth===0)$5",
    times: 2,
  },
  {
    why: "expansions work the same inside arithmetic, and their results are evaluated",
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
    why: "a jq program yields while it computes, and ends on request",
    find: /(throw (\w+)\.budget\.callDepth--,(\w+)\(`query depth limit exceeded \(\$\{\2\.limits\.maxDepth\}\)`,"recursion"\);try\{let (\w+)=)(\w+)\((\w+),(\w+),\2\)(?=;return \w+\(\2,0,\4\.length\))/g,
    replace:
      '$1isPlain($2.budget,$7,$6)?$5($6,$7,$2):evaluated($2.budget,$7,()=>$5($6,$7,$2),()=>$3("","iterations"))',
  },
  {
    why: "jq parses plain JSON, one value or one per line, with the host's parser, which is many times as fast",
    find: /(function \w+\((\w+),(\w+)\)\{)(?=let \w+=\[\],\w+=\w+=>\{if\(\w+\.length>=\3\.maxElements\)throw new \w+\(`query result[^]*?\w+\((\w+)\(\w+\(\2,\w+,\w+\),\{maxDepth)/g,
    replace:
      "$1let plain=plainValues($2,$3.maxElements);if(plain)return plain.map(value=>$4(value,$3));",
  },
  {
    why: "a jq program evaluates each of its inputs in turns",
    find: /(\w+)\((null|\w+|\w+\.slice\(\w+,\w+\)),(\w+),(\w+)\)(?=[;)}])(?<=budget:\{operations:0,callDepth:0\}\},[^]{0,1300})/g,
    replace: "await inTurns($4.budget,()=>$1($2,$3,$4))",
    times: 6,
  },
  {
    why: "a jq program can ask the file system for a pause",
    find: /(requireDefenseContext:(\w+)\.requireDefenseContext,budget:\{operations:0,callDepth:0)\}/g,
    replace: "$1,fs:$2.fs}",
  },
  {
    why: "a jq program yields between the values that it prints",
    find: /(,\w+=Math\.min\((\w+)\.limits\.maxStringLength,\2\.limits\.maxOutputSize\),\w+=\[\],\w+=0;for\(let \w+ of \w+\)\{)(?=let \w+=\w+\.length>0)/g,
    replace: "$1await pauseNow($2.fs);",
  },
  {
    why: "a jq program that was ended prints no message of its own",
    find: /(catch\((\w+)\)\{if\(\2 instanceof \w+)(\)throw \2;if\(\2 instanceof (\w+)\)return\{stdout:"",stderr:`jq: )/g,
    replace: "$1||isEnd($2)$3",
  },
  {
    why: "jq compares objects regardless of key order, strings by code points, and values of any type",
    find: /function (\w+)\((\w+),(\w+)\)\{return JSON\.stringify\(\2\)===JSON\.stringify\(\3\)\}function (\w+)\((\w+),(\w+)\)\{/g,
    replace:
      "function $1($2,$3){return sameValues($2,$3)}function $4($5,$6){return comparedValues($5,$6);",
  },
  {
    why: "jq's min and max follow its order of values",
    find: /function (\w+)\((\w+),(\w+)\)\{(?=let \w+=\w+=>\w+===null\?0:typeof \w+=="boolean"\?1)/g,
    replace: "$&return comparedValues($2,$3);",
  },
  {
    why: "jq sorts in parts, between which it yields, and by all keys",
    find: /case"sort":return Array\.isArray\((\w+)\)\?\[\[\.\.\.\1\]\.sort\(\w+\)\]:\[null\];case"sort_by":return!Array\.isArray\(\1\)\|\|(\w+)\.length===0\?\[null\]:\[\[\.\.\.\1\]\.sort\(\((\w+),\w+\)=>\{let \w+=(\w+)\(\3,\2\[0\],(\w+)\)\[0\],.{1,80}?\}\)\];/g,
    replace:
      `case"sort":return Array.isArray($1)?[sortedValues($5.budget,${bounds("$5")},$1)]:[null];` +
      `case"sort_by":return!Array.isArray($1)||$2.length===0?[null]:[sortedValues($5.budget,${bounds("$5")},` +
      "$1,(item)=>$2.flatMap((by)=>$4(item,by,$5)))];",
  },
  {
    why: "jq's unique returns each value once, in order",
    find: /(case"unique":if\(Array\.isArray\((\w+)\)\)\{)(?=[^]{0,200}?case"tojsonstream":\{let \w+=(\w+)\.limits)/g,
    replace: `$1return[groupedValues($3.budget,${bounds("$3")},$2).map(([first])=>first)];`,
  },
  {
    why: "jq's groups, and the first items of unique_by, are in key order",
    find: /case"(unique|group)_by":\{if\(!Array\.isArray\((\w+)\)\|\|(\w+)\.length===0\)return\[null\];(?=let \w+=new Map;for\(let \w+ of \2\)\{let \w+=(?:JSON\.stringify\()?(\w+)\(\w+,\3\[0\],(\w+)\))/g,
    replace:
      `$&{let groups=groupedValues($5.budget,${bounds("$5")},$2,(item)=>$3.flatMap((by)=>$4(item,by,$5)));` +
      'return["$1"==="group"?groups:groups.map(([first])=>first)]}',
    times: 2,
  },
  {
    why: "jq's contains and inside compare many values in parts",
    find: /(case"contains":\{if\(\w+\.length===0\)return\[!1\];let (\w+)=\w+\((\w+),\w+\[0\],(\w+)\);return\[)\w+\(\3,\2\[0\]\)(\]\}case"inside":\{if\(\w+\.length===0\)return\[!1\];let (\w+)=\w+\(\3,\w+\[0\],\4\);return\[)\w+\(\6\[0\],\3\)/g,
    replace: `$1hasWithin($4.budget,${bounds("$4")},$3,$2[0])$5hasWithin($4.budget,${bounds("$4")},$6[0],$3)`,
  },
  {
    why: "jq searches an array within an array in parts",
    find: /\w+\((\w+),\w+\[0\],(\w+)\)\.map\((\w+)=>\{(?=(?:let \w+=\[\];)?if\(typeof \1=="string"&&typeof \3=="string"\)(?:\{if\(\3===""|\{let \w+=\1\.(?:lastI|i)ndexOf))/g,
    replace:
      `$&if(Array.isArray($1)&&Array.isArray($3)&&$3.length>0){let places=positionsOf($2.budget,${bounds("$2")},$1,$3);` +
      'return arguments[1]==="indices"?places:(arguments[1]==="index"?places[0]:places.at(-1))??null}',
    times: 3,
  },
  {
    why: "a jq pipe that resumes after a pause takes its former results at once",
    find: /(case"Pipe":\{let (\w+)=\w+\(\w+,\w+\.left,(\w+)\),\w+=\w+\(\w+\.left\),(\w+)=\[\];for\(let \w+ of )\2\)/g,
    replace: "$1remaining($3.budget,$2,$4))",
  },
  {
    why: "jq's map does the same",
    find: /(case"map":\{if\(\w+\.length===0\|\|!Array\.isArray\((\w+)\)\)return\[null\];\w+\((\w+),0,\2\.length\);let (\w+)=\[\];for\(let \w+ of )\2\)/g,
    replace: "$1remaining($3.budget,$2,$4))",
  },
  {
    why: "jq's reduce resumes after a pause with its former state",
    find: /(case"Reduce":\{let (\w+)=\w+\(\w+,(\w+)\.expr,(\w+)\),[^;]*;for\(let \w+ of )\2\)/g,
    replace: "$1$3.pattern?$2:unreduced($4.budget,$2))",
  },
  {
    why: "jq's while and repeat take their former states at once",
    find: /(case"(?:while|(repeat))":\{if\(\w+\.length(?:<2|===0)\)return\[(\w+)\];let (\w+)=\[\],\w+=)\3(?=,\w+=(\w+)\.limits)/g,
    replace: '$1resumed($5.budget,$3,"$2"?1:2,$4)',
    times: 2,
  },
  {
    why: "jq's until resumes with its former state",
    find: /(case"until":\{if\(\w+\.length<2\)return\[(\w+)\];let \w+=)\2(?=,\w+=(\w+)\.limits)/g,
    replace: "$1resumed($3.budget,$2,2)",
  },
  {
    why: "a loop over the arguments takes each unsplit",
    find: /(\w+)=\((\w+)\.state\.env\.get\("@"\)\|\|""\)\.split\(" "\)\.filter\(Boolean\)(?=;else if\(\w+\.words\.length===0\))/g,
    replace:
      '$1=Array.from({length:Number($2.state.env.get("#")||0)},(_,at)=>$2.state.env.get(String(at+1))??"")',
  },
  {
    why: "the target of a redirection may look like an assignment",
    find: /(function \w+\((\w+)\)\{let \w+=null,\w+;\2\.check\((\w+)\.NUMBER\)[^]{0,260}?\2\.isWord\(\)\|\|)(\2\.error\("Expected redirection target"\))/g,
    replace: "$1$2.check($3.ASSIGNMENT_WORD)||$4",
  },
  {
    why: "$! is empty before the first background job",
    find: /case"!":return String\((\w+\.state\.lastBackgroundPid)\)/g,
    replace: 'case"!":return String($1||"")',
  },
  {
    why: "a key of an associative array may be an expansion in arithmetic too, as in ((count[${word:0:1}]++))",
    find: /(\w+)&&(\w+(?:\.\w+)+)\??\.type==="ArithVariable"&&\2\.hasDollarPrefix\)(\{let \w+=|\w+=)await (\w+)\((\w+),\2\.name\)/g,
    replace:
      '$1&&($2?.type==="ArithVariable"&&$2.hasDollarPrefix||$2?.type==="ArithBracedExpansion"))' +
      "$3await($2.content===void 0?$4($5,$2.name):" +
      '%expandWord%($5,new %parser%().parseWordFromString("$${"+$2.content+"}",!0,!1)))',
    times: 3,
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
    why: "a shell started by a script exports its environment, and keeps its options to itself",
    find: /previousDir:(\w+)\.env\?\.OLDPWD\?\?this\.state\.previousDir,/g,
    replace:
      "previousDir:$1.env?.OLDPWD??this.state.previousDir," +
      "exportedVars:new Set([...($1.replaceEnv?[]:this.state.exportedVars),...Object.keys($1.env??{})])," +
      "readonlyVars:new Set(this.state.readonlyVars),shoptOptions:{...this.state.shoptOptions},sink:$1.sink,input:$1.input,",
  },
  {
    why: "a script passed to `bash -c` keeps its lines unchanged",
    find: /\w+\.rawScript\|\|\(\w+=\w+\(\w+\)\);/g,
    replace: "",
  },
  {
    why:
      "a command gets its context directly: the proxies around it cost more than most commands, the signal of its own " +
      "that ends with it costs workerd 10 ms, and the shell takes the files away from what it leaves behind",
    find: /function \w+\((\w+),\w+\)\{(?=let \w+=!0,\w+=\1\.signal\?new AbortController:void 0,)/g,
    replace: "$&return{context:$1,revoke(){}};",
  },
  {
    why: "a replaced command is prepared on demand, which is rare",
    find: /,(\w+)=\(\)=>\{\};if\((\w+)\)\{(let (\w+)=Object\.getOwnPropertyDescriptors\((\w+)\);\4\.executionScope=.{0,300}?);\1=(\w+)\.revoke,\5\.origCommand=(\w+)=>\{(let \w+=\(\)=>\2\.execute\()/g,
    replace: ",$1=()=>{};if($2){$5.origCommand=$7=>{$3;$8",
  },
  {
    why: "an added command needs no view of its own on the limits",
    find: /executionScope:(\w+)\.internalIsExtension\?(\w+)\((\w+)\.executionScope\):\3\.executionScope,/g,
    replace:
      "get executionScope(){return $1.internalIsExtension?$2($3.executionScope):$3.executionScope},",
  },
  {
    why: "regular expressions that can't take long run on the host's own engine, which is many times as fast",
    find: /(let (\w+)=\w+\(\w+\),(\w+)=\w+\(\w+\);this\._re2=)(\w+\.compile\(\2,\3\))/g,
    replace: "$1quickened($4,$2,$3)",
  },
  {
    why: "a missing program is not found, regardless of other builds of the shell",
    find: /`bash: \$\{(\w+)\}: command not available in browser environments\. Exclude '\$\{\1\}' from your commands or use the Node\.js bundle\.\n`/g,
    replace: "notFound($1)",
  },
  {
    why: "the message for a missing program names an alternative",
    find: /`bash: \$\{(\w+)\}: command not found\n`(,127\);if\("error"in )/g,
    replace: "notFound($1)$2",
  },
  {
    why: "plain text needs no encoding: joining it byte by byte takes a third of a second for three megabytes",
    find: /(\w+\((\w+)\((\w+)\),\w+,"UTF-8 encode"\);)/g,
    replace: "$1if($2($3)===$3.length)return $3;",
  },
];
