import { MODEL_NAME, MODEL_NOTE } from "../constants.ts";
import { Popover } from "../ui/popover.tsx";

export function ModelChip() {
  return (
    <div data-part="model-chip">
      <Popover
        label={`${MODEL_NAME} — ${MODEL_NOTE}`}
        look="chip"
        button={
          <>
            <span data-part="model-dot" />
            {MODEL_NAME}
            <span data-part="model-note">— {MODEL_NOTE}</span>
          </>
        }
      >
        <p>
          <strong>The offline guide is a script, not an AI model.</strong> It needs no key and sends
          nothing.
        </p>
        <p>
          Its tool calls are real: they run on the files of this tab, with the same permissions and
          the same log as a model's.
        </p>
        <p>
          It understands commands such as <code>list</code>, <code>read README.md</code>,{" "}
          <code>find slugify</code> or <code>run ls -la</code>, one per line.
        </p>
      </Popover>
    </div>
  );
}
