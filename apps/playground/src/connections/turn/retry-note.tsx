import type { TurnView } from "@robota/react/store";

/** Word on a request to the model that has failed and is repeated. */
export function RetryNote({ retry }: { retry: NonNullable<TurnView["retry"]> }) {
  return (
    <p data-part="retry" role="status" title={retry.message}>
      Retrying {retry.retry} of {retry.of}… <span>{retry.message}</span>
    </p>
  );
}
