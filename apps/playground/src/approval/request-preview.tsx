import type { PermissionRequest } from "@robota/runtime";
import { DiffView } from "../diff/diff-view.tsx";
import { OutputBlock } from "../ui/output-block.tsx";

/** Exactly what would run: the change, the whole command or address, or all arguments. Scrolls, and is never cut. */
export function RequestPreview({
  request: { tool, args, preview },
}: {
  request: PermissionRequest;
}) {
  const changes = preview?.changes ?? [];
  const command = args["command"] ?? args["url"];
  return (
    <>
      {changes.map((change) => (
        <DiffView key={change.path} change={change} />
      ))}
      {changes.length === 0 &&
        (typeof command === "string" ? (
          <Command text={command} description={args["description"]} prompt={tool === "Bash"} />
        ) : (
          <OutputBlock text={JSON.stringify(args, null, 2)} what="arguments" />
        ))}
      {preview?.note && <p data-part="approval-note">{preview.note}</p>}
    </>
  );
}

function Command(props: { text: string; description: unknown; prompt: boolean }) {
  return (
    <div data-part="approval-command" data-prompt={props.prompt || undefined}>
      {typeof props.description === "string" && <p>{props.description}</p>}
      <OutputBlock text={props.text} what="command" />
    </div>
  );
}
