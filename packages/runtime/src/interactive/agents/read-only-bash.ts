import { defined } from "../../defined.ts";
import type { Tool } from "../../tools/tool.ts";
import { toolFacts } from "../../tools/tool-facts.ts";
import { validateArgs } from "../../tools/validate-args.ts";

export interface ReadOnlyBashOptions {
  /** Absolute. */
  cwd: string;
  roots: readonly string[];
  home?: string | undefined;
}

const REFUSAL =
  "This agent is read-only: the command changes something, or is not known to be read-only. Use Read, Glob and Grep, or commands such as ls, cat, head, wc, grep, find and git log.";

/**
 * Bash for a read-only agent. It judges by the line alone and before anybody is asked, so that
 * no rule, mode, hook or answer opens more.
 */
export function readOnlyBash(bash: Tool, { cwd, roots, home }: ReadOnlyBashOptions): Tool {
  return {
    name: bash.name,
    description: `${bash.description} ${REFUSAL}`,
    parameters: bash.parameters,
    ...toolFacts(bash),
    ...defined({ limitsOutput: bash.limitsOutput }),
    validate: async (args) => {
      const valid = await validateArgs(bash, args);
      if (!valid.ok) return valid;
      const [{ explain }, { isReadOnly }] = await Promise.all([
        import("../../permissions/engine.ts"),
        import("../../permissions/read-only/read-only-commands.ts"),
      ]);
      const where = { ...toolFacts(bash), cwd, roots, isReadOnly, home };
      const { decision } = explain(bash.name, valid.args, "default", {}, where);
      return decision === "auto" ? valid : { ok: false, problems: [REFUSAL] };
    },
    execute: (args, context) => bash.execute(args, context),
  };
}
