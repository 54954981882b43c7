/**
 * A table whose first column names each row. On a narrow screen each row becomes a card, and each cell says its column itself.
 */
import type { ComponentChildren } from "preact";

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `number` stands at the end of its column; `actions` has buttons; no word of a `short` one is broken. */
  readonly kind?: "number" | "actions" | "short";
}

export function Table<Row>(props: {
  /** What it shows, for those who hear it. */
  readonly caption: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, place: number) => string;
  /** The last row, such as sums: as many cells as there are columns. */
  readonly foot?: readonly ComponentChildren[];
}) {
  const { caption, columns, rows, keyOf, foot } = props;
  return (
    <div class="view-table-wrap">
      <table class="table view-table">
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {kind === "actions" ? <span class="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={keyOf(row, place)}>
              {columns.map(({ title, kind, cell }, index) =>
                index === 0 ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={kind} data-title={kind === "actions" ? undefined : title}>
                    <div class="view-cell">{cell(row)}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot ? (
          <tfoot>
            <tr>
              {columns.map(({ title, kind }, index) =>
                index === 0 ? (
                  <th key={title} scope="row">
                    {foot[index]}
                  </th>
                ) : (
                  <td key={title} class={kind} data-title={title}>
                    <div class="view-cell">{foot[index]}</div>
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </div>
  );
}
