// Runs packing.py in Pyodide: node make.mjs PYODIDE SOURCES.zip PACKING.py OUT
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, sources, packing, out] = process.argv.slice(2).map((each) => path.resolve(each));
try {
  const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")).href);
  // Bytecode without columns is smaller; the page shows no traceback.
  const python = await loadPyodide({ env: { HOME: "/home/pyodide", PYTHONNODEBUGRANGES: "1" } });
  python.unpackArchive(new Uint8Array(fs.readFileSync(sources)), "zip", { extractDir: "/lean" });
  python.FS.mkdir("/out");
  python.runPython(fs.readFileSync(packing, "utf-8"));
  python.runPython('pack(Path("/lean"), Path("/out"))');
  for (const name of ["lean.tar.xz", "stdlib.zip"]) {
    fs.writeFileSync(path.join(out, name), python.FS.readFile(`/out/${name}`));
  }
} catch (error) {
  const lines = String(error.message ?? error).trim().split("\n");
  console.error(lines.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? lines.at(-1));
  process.exit(1);
}
