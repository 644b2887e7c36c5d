// The reference as the page sees it: it is asked one thing at a time, and a run that lasts can be given up.

export class Reference {
  // `told` is called with what happens: {phase, ...}, of which the phases are loading, ready, solver, failed, stopped.
  constructor(told) {
    this.told = told;
    this.asked = 0;
    this.start();
  }

  start() {
    this.ready = false;
    this.waiting = null;
    this.began = performance.now();
    try {
      this.worker = new Worker("worker.js", { type: "module" });
    } catch (error) {
      this.fail(`no worker could be started: ${error.message}`);
      return;
    }
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker could not be loaded");
  }

  get busy() {
    return this.waiting !== null;
  }

  // The answer to a request; null if it was given up, or if the reference is busy with another.
  ask(request) {
    if (this.busy || !this.worker) return Promise.resolve(null);
    this.asked += 1;
    this.worker.postMessage({ id: this.asked, request });
    return new Promise((resolve) => {
      this.waiting = { id: this.asked, resolve };
    });
  }

  // Nothing interrupts Python there but the end of its worker.
  cancel() {
    this.worker?.terminate();
    this.give(null);
    this.told({ phase: "stopped" });
    this.start();
  }

  hear(data) {
    if (data.id !== undefined) {
      if (data.id === this.waiting?.id) this.give(JSON.parse(data.answer));
      return;
    }
    if (data.phase === "failed") {
      this.fail(data.message);
      return;
    }
    if (data.phase === "ready") {
      this.ready = true;
      data.seconds = (performance.now() - this.began) / 1000;
    }
    this.told(data);
  }

  // What has failed is not asked again, but started anew if it had run.
  fail(message) {
    const ran = this.ready;
    this.worker?.terminate();
    this.worker = null;
    this.give(null);
    this.told({ phase: "failed", message });
    if (ran) this.start();
  }

  give(answer) {
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.resolve(answer);
  }
}
