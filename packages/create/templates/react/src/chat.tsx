import { usePermissionRequests, useSession, useTranscript } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";

export function Chat({ session }: { session: InteractiveSession }) {
  const { submit, abort, isRunning, failure } = useSession(session);
  const { requests, answer } = usePermissionRequests(session);
  const timeline = useTranscript(session);
  const send = (form: FormData): void => {
    const prompt = form.get("prompt");
    if (typeof prompt === "string") void submit(prompt);
  };

  return (
    <main>
      <h1>Agent</h1>
      {failure && <p role="alert">{failure.message}</p>}
      {timeline.map((entry) =>
        entry.kind === "divider" ? (
          <hr key={entry.id} />
        ) : (
          <article key={entry.id}>
            <h2>{entry.prompt}</h2>
            {entry.items.map((item) => (
              <pre key={item.id}>
                {item.kind === "tool" ? `${item.tool}: ${item.phase}` : item.text}
              </pre>
            ))}
          </article>
        ),
      )}
      {requests.map(({ id, tool, args }) => (
        <p key={id} role="group" aria-label="Approval">
          Allow {tool} {JSON.stringify(args)}?{" "}
          <button onClick={() => void answer(id, { allow: true })}>Allow</button>{" "}
          <button onClick={() => void answer(id, { allow: false })}>Deny</button>
        </p>
      ))}
      <form action={send}>
        <input name="prompt" aria-label="Prompt" placeholder="write notes.txt: Hello" required />
        {isRunning ? (
          <button type="button" onClick={() => abort()}>
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
    </main>
  );
}
