import { useId } from "react";
import type { Connection } from "../connection.ts";
import { priceLabel } from "../prices.ts";

export interface ModelFieldProps {
  connection: Connection;
  /** Ids that the service has listed; none before a check. */
  models: readonly string[];
  onModel: (model: string) => void;
}

/** The model's id: typed, or chosen from the service's list. */
export function ModelField({ connection, models, onModel }: ModelFieldProps) {
  const id = useId();
  const { provider, model } = connection;
  return (
    <div data-part="providers-field">
      <label htmlFor={id}>Model</label>
      <input
        id={id}
        list={`${id}-models`}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        placeholder={
          models.length > 0 ? "Choose or type an id" : "Check the connection to list them"
        }
        value={model}
        onChange={(event) => onModel(event.target.value)}
      />
      <datalist id={`${id}-models`}>
        {models.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <span data-part="providers-soft">
        {models.length > 0 && `${models.length} ${models.length === 1 ? "model" : "models"} · `}
        {model === "" ? "Prices show when they are known." : priceLabel(provider, model)}
      </span>
    </div>
  );
}
