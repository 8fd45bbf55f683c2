import type { ShellCommand } from "../../command.ts";
import { readOptions, JqUsageError } from "./options.ts";
import { runProgram } from "./run.ts";

const MISUSED = 2;
const HELP = `Usage:	jq [options] <jq filter> [file...]
	jq [options] --args <jq filter> [strings...]
	jq [options] --jsonargs <jq filter> [JSON_TEXTS...]

	-c, --compact-output     one line for each value
	-r, --raw-output         texts without quotes
	-j, --join-output        like -r, without newlines
	-a, --ascii-output       escapes for all but ASCII
	-S, --sort-keys          keys of objects in order
	-C, --color-output       colours
	--tab, --indent n        indentation
	-n, --null-input         null as the only input
	-R, --raw-input          lines of text as inputs
	-s, --slurp              all inputs as one array
	--stream                 the parts of each input
	--seq                    a record separator before each output
	-e, --exit-status        status by the last output
	-f, --from-file          the filter is in a file
	--arg name value         sets $name to a text
	--argjson name text      sets $name to a JSON value
	--slurpfile name file    sets $name to the values of a file
	--rawfile name file      sets $name to the text of a file
`;

/** jq as its manual describes it, with the answers of version 1.6. */
export const jq: ShellCommand = {
  name: "jq",
  async run(args, context) {
    try {
      const options = await readOptions(args, context);
      if (options === "help") return { stdout: HELP };
      if (options === "version") return { stdout: "jq-1.6\n" };
      return await runProgram(options, context);
    } catch (error) {
      if (!(error instanceof JqUsageError)) throw error;
      return { stderr: `${error.message}\n`, exitCode: MISUSED };
    }
  },
};
