import { ServiceForm } from "./service-form.tsx";

/** A worker that holds the key and runs the model for this page. */
export function EdgeRung({ onDone }: { onDone: () => void }) {
  return (
    <>
      <p data-part="providers-soft">
        The endpoint sees your prompts and keeps the model's key; this page only holds a token. The
        address usually ends with <code>/v1/executor</code>.
      </p>
      <ServiceForm service="remote" onDone={onDone} />
    </>
  );
}
