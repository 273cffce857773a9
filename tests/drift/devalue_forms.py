# ruff: noqa: E501
"""What devalue writes by itself (no reducers), in several versions, against this reader.

For each version and value: devalue's text, and what devalue itself makes of it (canonical tagged JSON). The
reader must make the same of it, unless the difference is one that is known and named in ``KNOWN``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from eve_replay.codec import decode_devalue  # noqa: E402
from eve_replay.values import to_tagged  # noqa: E402

VERSIONS = ("5.0.0", "5.3.2", "5.6.2", "5.6.4", "5.8.1", "5.9.4", "6.0.3")
#: (value, version prefix) -> why the two differ. "" is every version.
KNOWN = {
    ("dvs", "5.6"): "no length was written (sveltejs/devalue#161): the rest of the buffer is shown",
    ("dvs", "5.8"): "no length was written (sveltejs/devalue#161): the rest of the buffer is shown",
    ("u8sub", "5.3"): "the same numbers mean something else from 5.7 on; noted as ambiguous-view",
    ("u8sub", "5.6"): "the same numbers mean something else from 5.7 on; noted as ambiguous-view",
}
WRITER = r"""
import fs from "node:fs"; import { canon } from "CANON";
const big = new Uint8Array([1,2,3,4,5,6,7,8]), shared = {s: 1}, sparse = []; sparse[0] = "a"; sparse[70] = "b";
const values = {
  set: () => new Set([1, 2]), setOne: () => new Set(["admin"]), setEmpty: () => new Set(), setOfSets: () => new Set([new Set([1]), 2]),
  map: () => new Map([["a", 1], ["b", [2]]]), mapEmpty: () => new Map(), mapShared: () => new Map([[shared, shared]]),
  cycle: () => { const m = new Map(); m.set("m", m); return m; }, setCycle: () => { const s = new Set(); s.add(s); return s; },
  u8: () => big, u8sub: () => big.subarray(2, 5), u8tail: () => big.subarray(4), u16sub: () => new Uint16Array(big.buffer, 2, 2),
  f32: () => new Float32Array([1.5]), big64: () => new BigInt64Array([-1n]), ab: () => big.buffer, dv: () => new DataView(big.buffer),
  dvs: () => new DataView(big.buffer, 2, 4), shared: () => [big, big.subarray(4)], f16: () => new Float16Array([1.5]),
  re: () => /a\/b/gi, date: () => new Date(0), bad: () => new Date(NaN), bi: () => 5n,
  box: () => [new Number(3), new String("x"), new Boolean(false)], np: () => Object.assign(Object.create(null), {a: 1}),
  sparse: () => sparse, holes: () => [1, , 3], url: () => new URL("https://x.y/?a=1"), usp: () => new URLSearchParams("a=1"),
  negz: () => [-0, NaN, Infinity], deep: () => ({a: {b: [{c: new Map([[new Set([1]), [new Date(0)]]])}]}}),
};
const out = [];
for (const version of process.argv.slice(2)) {
  const devalue = await import("devalue-" + version);
  for (const [name, make] of Object.entries(values)) {
    const row = { version, name };
    try { row.text = devalue.stringify(make()); row.canon = canon(make()); } catch (error) { row.error = String(error.message); }
    out.push(row);
  }
}
fs.writeFileSync("out.json", JSON.stringify(out));
"""


def rows(versions: list[str]) -> list[dict[str, object]]:
    """Return what each version writes, from real packages in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="drift-") as name:
        folder = Path(name)
        (folder / "package.json").write_text('{"type": "module"}')
        packages = [f"devalue-{version}@npm:devalue@{version}" for version in versions]
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], cwd=folder, check=True
        )
        canon = (ROOT / "tests" / "support" / "canon.mjs").as_uri()
        (folder / "write.mjs").write_text(WRITER.replace("CANON", canon))
        subprocess.run(["node", "write.mjs", *versions], cwd=folder, check=True)
        found: list[dict[str, object]] = json.loads((folder / "out.json").read_text())
        return found


def main(versions: list[str]) -> int:
    """Print one line per difference; return 1 when one is not known."""
    same = known = new = refused = 0
    for row in rows(versions or list(VERSIONS)):
        where = f"devalue {row['version']} {row['name']}"
        if "text" not in row:
            refused += 1
            continue
        value, notes = decode_devalue(str(row["text"]), own=True)
        tagged = json.loads(json.dumps(to_tagged(value)))
        if tagged == row["canon"]:
            same += 1
            continue
        why = next(
            (
                why
                for (name, prefix), why in KNOWN.items()
                if name == row["name"] and str(row["version"]).startswith(prefix)
            ),
            "",
        )
        known, new = known + bool(why), new + (not why)
        said = why or f"text {row['text']}, meant {json.dumps(row['canon'])}, read {json.dumps(tagged)}"
        print(f"{'known' if why else 'NEW'}  {where}: {said}  {[code for code, _ in notes]}")
    print(f"{same} equal, {known} known differences, {new} new, {refused} not written by that version")
    return 1 if new else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
