// Runs the extension with stand-ins for VS Code and its client: `node extension.cjs FOLDER COMMAND…`. It is activated with
// the first command, which then changes to the next, and so on; what happened is printed as JSON.

"use strict";

const Module = require("node:module");
const path = require("node:path");

const [folder, ...commands] = process.argv.slice(2);
const happened = [];
let command = commands[0];
let changed;

class LanguageClient {
  constructor(_id, _name, server, { documentSelector }) {
    this.shown = [path.basename(server.command), server.args, documentSelector.map(({ language }) => language)];
  }

  async start() {
    happened.push(["start", ...this.shown]);
  }

  async stop() {
    happened.push(["stop"]);
  }
}

const stubs = {
  vscode: {
    workspace: {
      getConfiguration: (section) => ({ get: (name) => (section === "parte" && name === "command" ? command : undefined) }),
      onDidChangeConfiguration: (listener) => (changed = listener),
    },
    window: { showInformationMessage: async (message) => void happened.push(["told", message]) },
  },
  "vscode-languageclient/node": { LanguageClient },
};
const load = Module._load;
Module._load = (request, ...more) => stubs[request] ?? load(request, ...more);

const state = new Map();
const context = {
  subscriptions: [],
  globalState: { get: (key) => state.get(key), update: async (key, value) => void state.set(key, value) },
  extension: { packageJSON: require(path.join(folder, "package.json")) },
};

(async () => {
  const extension = require(path.join(folder, "extension.js"));
  await extension.activate(context);
  for (command of commands.slice(1)) {
    await changed({ affectsConfiguration: (name) => name === "parte.command" });
  }
  await extension.deactivate();
  console.log(JSON.stringify(happened));
})();
