// The worker with the embedded Lean: requests, their time limit, its end and its restart.

// The session stops a tactic itself when its time is over; one that does not look at the clock is stopped from here.
const GRACE_SECONDS = 2;

export class Stopped extends Error {}

export class Prover {
  #worker;
  #waiting = new Map();
  #number = 0;
  #ready;
  #onState;

  // `onState` is told "loading", "ready", or "failed" with a message.
  constructor(onState) {
    this.#onState = onState;
    this.start();
  }

  start() {
    this.#worker?.terminate();
    this.#onState("loading");
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker = worker;
    this.#ready = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) {
          this.#onState("ready");
          resolve();
        } else if ("failed" in data) {
          this.#fail(data.failed, reject);
        } else {
          const waiting = this.#waiting.get(data.id);
          this.#waiting.delete(data.id);
          waiting?.resolve(JSON.parse(data.answer));
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.#fail(event.message || "the files of the page cannot be loaded", reject);
      };
    });
    this.#ready.catch(() => {}); // who asks is told
  }

  get busy() {
    return this.#waiting.size > 0;
  }

  // Returns the answer of the session. Raises `Stopped` when the time is over, or the worker was ended.
  async ask(request, seconds) {
    const worker = this.#worker;
    await this.#ready;
    if (worker !== this.#worker) throw new Stopped("the prover was stopped");
    const id = ++this.#number;
    const limit = seconds + GRACE_SECONDS;
    let timer;
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        timer = setTimeout(() => this.stop(`stopped after ${limit} seconds`), 1000 * limit);
        worker.postMessage({ id, request: JSON.stringify({ ...request, seconds }) });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  // Ends what runs and starts again.
  stop(reason) {
    this.#rejectAll(new Stopped(reason));
    this.start();
  }

  end() {
    this.#worker.terminate();
  }

  #fail(message, reject) {
    this.#worker.terminate();
    this.#onState("failed", message);
    const error = new Error(message);
    reject(error);
    this.#rejectAll(error);
  }

  #rejectAll(error) {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const each of waiting) each.reject(error);
  }
}
