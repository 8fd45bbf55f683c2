import { useId } from "react";
import type { ServiceId } from "../service-titles.ts";
import { services } from "../services.ts";

export interface ServiceChoiceProps<Id extends ServiceId> {
  label: string;
  options: readonly Id[];
  value: Id;
  onChange: (id: Id) => void;
}

/** One of a few services, all of them in sight. */
export function ServiceChoice<Id extends ServiceId>(props: ServiceChoiceProps<Id>) {
  const { label, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset data-part="providers-choice">
      <legend data-part="visually-hidden">{label}</legend>
      {options.map((id) => (
        <label key={id}>
          <input type="radio" name={name} checked={id === value} onChange={() => onChange(id)} />
          {services[id].title}
        </label>
      ))}
    </fieldset>
  );
}
