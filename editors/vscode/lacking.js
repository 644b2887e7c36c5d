// What is missing for a language server, in words; "" if nothing is.

"use strict";

const { execFile } = require("node:child_process");

const LIMIT = 30_000; // milliseconds, after which a command that should have ended is taken for another one
const LONGEST = 300;

/** Runs `COMMAND lsp` without input, on which the server ends at once, well. */
function lacking(command) {
  return new Promise((resolve) => {
    const child = execFile(command, ["lsp"], { timeout: LIMIT, windowsHide: true }, (problem, _output, said) => {
      if (!problem) {
        resolve("");
      } else if (problem.code === "ENOENT") {
        resolve(`There is no command '${command}': pip install 'parte[lsp]', or set parte.command to its path.`);
      } else {
        const reason = said.replace(/\s+/g, " ").trim() || problem.message;
        resolve(`'${command} lsp' does not start: ${reason.slice(0, LONGEST)}`);
      }
    });
    child.stdin?.on("error", () => {}); // it may be gone before it reads
    child.stdin?.end();
  });
}

module.exports = { lacking };
