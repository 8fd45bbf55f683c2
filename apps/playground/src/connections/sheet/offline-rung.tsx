import { Button } from "../../ui/button.tsx";
import { OFFLINE } from "../connection.ts";
import { useConnect, useCurrentModel } from "../use-connect.ts";

/** The guide, which is always there. */
export function OfflineRung({ onDone }: { onDone: () => void }) {
  const connect = useConnect();
  const isCurrent = useCurrentModel()?.provider === OFFLINE.provider;
  return (
    <>
      <p>
        The guide is a script, not an AI model. Its tool calls are real: they run on the files of
        this tab, with the same permissions and the same log as a model's.
      </p>
      <p data-part="providers-soft">
        It understands commands such as <code>list</code>, <code>read README.md</code>,{" "}
        <code>find slugify</code> or <code>run ls -la</code>, one per line.
      </p>
      {!isCurrent && (
        <div data-part="providers-actions">
          <Button look="primary" onClick={() => void connect(OFFLINE).then(onDone)}>
            Use the offline guide
          </Button>
        </div>
      )}
    </>
  );
}
