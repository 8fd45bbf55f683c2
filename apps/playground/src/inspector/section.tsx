import type { ReactNode } from "react";
import "./inspector.css";

export interface SectionProps {
  title: string;
  /** One sentence below the title. */
  note?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A part of an inspector's panel. */
export function Section({ title, note, actions, children }: SectionProps) {
  return (
    <section data-part="inspector-section" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {actions}
      </header>
      {note && <p data-part="inspector-note">{note}</p>}
      {children}
    </section>
  );
}

/** The scrolling content of a panel. */
export function PanelBody({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div data-part="inspector-body" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

/** A panel without content yet, with what would fill it. */
export function EmptyPanel({ children }: { children: ReactNode }) {
  return <p data-part="inspector-empty">{children}</p>;
}

/** Names and values. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl data-part="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
