// Starts `parte lsp` for programs of every language of the extension. Without it there are colours, and the user is told
// once why there is no more.

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { lacking } = require("./lacking.js");

const TOLD = "parte.told";

let client;

async function start(context) {
  const command = vscode.workspace.getConfiguration("parte").get("command", "parte");
  const missing = await lacking(command);
  if (missing) {
    if (context.globalState.get(TOLD) !== missing) {
      await context.globalState.update(TOLD, missing);
      const settings = "Settings";
      const message = `PARTE: colours only. ${missing}`;
      if ((await vscode.window.showInformationMessage(message, settings)) === settings) {
        await vscode.commands.executeCommand("workbench.action.openSettings", "parte.command");
      }
    }
    return;
  }
  await context.globalState.update(TOLD, undefined);
  const languages = context.extension.packageJSON.contributes.languages;
  const documentSelector = languages.map(({ id }) => ({ language: id }));
  client = new LanguageClient("parte", "PARTE", { command, args: ["lsp"] }, { documentSelector });
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("parte.command")) {
        await stop();
        await start(context);
      }
    }),
  );
  await start(context);
}

module.exports = { activate, deactivate: stop };
