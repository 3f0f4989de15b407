// The embedded Lean in Pyodide. Messages: {id, request} in; {ready}, {id, answer} and {failed} out.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const LOADING = `
import sys
sys.path.insert(0, "/lean")
from lean_gym.backends.minilean import load_library
from lean_gym.play.web.session import Session
load_library()
Session().answer
`;

const at = (name) => new URL(name, import.meta.url).href;

async function fetched(name) {
  const response = await fetch(at(name));
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return response.arrayBuffer();
}

async function load() {
  const [python, archive] = await Promise.all([
    loadPyodide({
      indexURL: at("pyodide/"),
      stdLibURL: at("stdlib.zip"),
      env: { HOME: "/home/pyodide", PYTHONNODEBUGRANGES: "1" },
    }),
    fetched("lean.tar.xz"),
  ]);
  python.unpackArchive(archive, "xztar", { extractDir: "/lean" });
  return python.runPython(LOADING);
}

// The last line of a traceback is the message.
const text = (error) => String(error?.message ?? error).trim().split("\n").pop();

const loaded = load();
loaded.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: text(error) }));

self.onmessage = async ({ data }) => {
  const answer = await loaded;
  try {
    self.postMessage({ id: data.id, answer: answer(data.request) });
  } catch (error) {
    self.postMessage({ failed: text(error) });
  }
};
