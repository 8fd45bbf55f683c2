import { singleQuoted } from "../expand/quoting.ts";
import { decodeShellText } from "../text/bytes.ts";
import { report } from "../run/process.ts";
import { assertWritable, setElement } from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import { parseOptions, withTexts } from "./builtin.ts";
import { readUntil } from "./read.ts";

/** Lines between two calls of a callback. */
const DEFAULT_QUANTUM = 5_000;

export const mapfile = withTexts(async (process, args, builtinName) => {
  const { state, descriptors, run } = process;
  const { options, rest } = parseOptions(args, { flags: "t", valued: "dnOsuCc" });
  const [name = "MAPFILE"] = rest;
  const file = descriptors.get(Number(options.get("u") ?? 0));
  if (!file?.canRead) {
    await report(process, `${builtinName}: invalid file descriptor: Bad file descriptor`);
    return 1;
  }
  const ending = options.get("d") ?? "\n";
  const delimiter = ending.charCodeAt(0) || 0;
  const limit = Number(options.get("n") ?? 0) || Number.POSITIVE_INFINITY;
  let skipped = Number(options.get("s") ?? 0);
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    await report(process, `${builtinName}: \`${name}': not a valid identifier`);
    return 1;
  }
  assertWritable(state, name);
  const callback = options.get("C");
  const quantum = Number(options.get("c") ?? DEFAULT_QUANTUM) || DEFAULT_QUANTUM;
  if (options.has("O")) state.variables.array(name);
  else state.variables.set(name, new IndexedArray());
  let index = Number(options.get("O") ?? 0);
  for (let count = 0; count < limit;) {
    const { bytes, isComplete } = await readUntil(file, {
      delimiter,
      isRaw: true,
      characters: Number.POSITIVE_INFINITY,
    });
    if (!isComplete && bytes.length === 0) break;
    if (skipped-- > 0) continue;
    const end = isComplete && !options.has("t") && ending !== "" ? ending : "";
    const line = decodeShellText(bytes) + end;
    count++;
    if (callback !== undefined && count % quantum === 0)
      await run.interpreter.runText(process, `${callback} ${index} ${singleQuoted(line)}`, {
        firstLine: state.line,
        isPart: true,
      });
    setElement(state, name, index++, line);
    const turn = run.budget.command();
    if (turn) await turn;
    if (!isComplete) break;
  }
  return 0;
});
