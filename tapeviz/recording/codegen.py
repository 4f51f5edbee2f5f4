"""What is generated from the schema: the TypeScript tables and the table reference of the format page.

Run it from the repository after changing ``schema.py``::

    python -m tapeviz.recording.codegen

A test makes the same text again and compares, so a change of the schema alone does not pass.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Final

from tapeviz.files import write_atomic
from tapeviz.recording.schema import ENUMERATIONS, FACTS, SCHEMA, Column, Table

__all__ = ["BEGIN", "END", "main", "outputs", "reference", "typescript"]

BEGIN: Final = "<!-- tables: made by python -m tapeviz.recording.codegen from schema.py -->"
END: Final = "<!-- tables end -->"

_ARRAYS: Final = {
    "u1": "Uint8Array",
    "u2": "Uint16Array",
    "i4": "Int32Array",
    "f4": "Float32Array",
    "f8": "Float64Array",
    "text": "readonly string[]",
    "bytes": "readonly Uint8Array[]",
}
_INITIALISERS: Final = {"text": "readonly string[]", "bytes": "readonly Uint8Array[]"}
_SCRIPT: Final = Path("labextension/packages/recording/src/tables.gen.ts")
_PAGE: Final = Path("docs/format.md")


def typescript() -> str:
    """The generated TypeScript module: enumerations, a type for each table, what a fixture may give, the columns."""
    parts = ["// Made by python -m tapeviz.recording.codegen from schema.py. Do not edit.\n"]
    parts += [_enumeration(name, labels) for name, labels in ENUMERATIONS.items()]
    parts += [_table_type(table) for table in SCHEMA.values()]
    parts.append("/** Every table of a recording, by name. */\nexport interface Tables {\n")
    parts += [f"  readonly {table.name}: {_type_name(table)};\n" for table in SCHEMA.values()]
    parts.append("}\n\n/** Rows given by hand; a column that is left out holds its none. */\n")
    parts.append("export interface TableInit {\n")
    parts += [_initialiser(table) for table in SCHEMA.values()]
    parts.append("}\n\nexport type ColumnType = " + " | ".join(f'"{name}"' for name in _ARRAYS) + ";\n\n")
    parts.append("/** `check` is what `Column.check` in schema.py says; empty where any cells will do. */\n")
    parts.append("export type ColumnSpec = readonly [name: string, type: ColumnType, none: number, check: string];\n\n")
    parts.append("export const SCHEMA: { readonly [T in keyof Tables]: readonly ColumnSpec[] } = {\n")
    parts += [_columns(table) for table in SCHEMA.values()]
    parts.append("};\n\n/** What the facts of meta that views know are. */\n")
    parts.append("export const FACTS: Readonly<Record<string, string | Readonly<Record<string, string>>>> = ")
    parts.append(f"{json.dumps(FACTS, indent=2)};\n")
    return "".join(parts)


def reference() -> str:
    """The table reference of the format page, in Markdown."""
    parts = []
    for table in SCHEMA.values():
        parts.append(f"### {table.name}\n\nA row is {table.row}.\n\n")
        parts.append("| column | type | unit | meaning | none | has to be |\n|---|---|---|---|---|---|\n")
        parts += map(_column_row, table.columns)
        parts.append("\n")
    parts.append("### Enumerations\n\nA `u1` column with one of these as its unit holds a position in it, from 0.\n\n")
    parts += [f"- {name}: {', '.join(labels)}\n" for name, labels in ENUMERATIONS.items()]
    return "".join(parts)


def outputs(root: Path) -> dict[Path, str]:
    """Each generated file below the repository ``root``, with the text it should have."""
    page = (root / _PAGE).read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return {
        root / _SCRIPT: typescript(),
        root / _PAGE: f"{before}{BEGIN}\n\n{reference()}\n{END}{after}",
    }


def main() -> int:
    """Write the generated files of the repository in the current directory; 1 when it is not one."""
    if not Path(_PAGE).is_file():
        sys.stderr.write("run this in the repository: there is no docs/format.md here\n")
        return 1
    for path, text in outputs(Path()).items():
        write_atomic(path, [text.encode()])
        sys.stdout.write(f"{path}\n")
    return 0


def _type_name(table: Table) -> str:
    return table.name.capitalize() + "Table"


def _enumeration(name: str, labels: tuple[str, ...]) -> str:
    values = "".join(f'  "{label}",\n' for label in labels)
    numbers = "".join(f"  {label}: {number},\n" for number, label in enumerate(labels))
    singular = name.removesuffix("ES") if name.endswith("USES") else name.removesuffix("S")
    return f"export const {name} = [\n{values}] as const;\nexport const {singular} = {{\n{numbers}}} as const;\n\n"


def _table_type(table: Table) -> str:
    lines = [f"/** A row is {table.row}. */\nexport interface {_type_name(table)} {{\n  readonly rows: number;\n"]
    for column in table.columns:
        unit = f" [{column.unit}]" if column.unit else ""
        lines.append(f"  /** {column.meaning}{unit} */\n  readonly {column.name}: {_ARRAYS[column.type]};\n")
    return "".join(lines) + "}\n\n"


def _initialiser(table: Table) -> str:
    columns = "".join(
        f"    readonly {c.name}?: {_INITIALISERS.get(c.type, 'ArrayLike<number>')};\n" for c in table.columns
    )
    return f"  readonly {table.name}: {{\n{columns}  }};\n"


def _columns(table: Table) -> str:
    columns = "".join(f'    ["{c.name}", "{c.type}", {_none_number(c)}, "{c.check}"],\n' for c in table.columns)
    return f"  {table.name}: [\n{columns}  ],\n"


def _column_row(column: Column) -> str:
    cells = (column.name, column.type, column.unit, column.meaning, _none_text(column), column.check)
    return f"| {' | '.join(cells)} |\n"


def _none_number(column: Column) -> str:
    return "NaN" if math.isnan(column.none) else str(int(column.none))


def _none_text(column: Column) -> str:
    if column.type in _INITIALISERS:
        return "empty"
    return column.labels[int(column.none)] if column.labels else _none_number(column)


if __name__ == "__main__":
    sys.exit(main())
