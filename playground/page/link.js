// What is on the page, as the fragment of its address: a version, a dot, and JSON, compressed, in base64url.

const VERSION = "1";
const MOST_CHARACTERS = 60_000; // of a fragment: longer addresses are cut by some who pass them on
const MOST_BYTES = 2_000_000; // of what is in it
const TEXTS = ["language", "program", "trace", "domain", "model", "schedule", "disorder", "task", "rule", "bindings"];

export class Unreadable extends Error {}

async function through(stream, bytes) {
  const read = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  for (let size = 0; ;) {
    const { done, value } = await read.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > MOST_BYTES) {
      await read.cancel();
      throw new Unreadable("it holds more than the page takes");
    }
    chunks.push(value);
  }
}

// The fragment of what is on the page; "" if it would be too long.
export async function written(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const text = `${VERSION}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  return text.length <= MOST_CHARACTERS ? text : "";
}

// What a fragment says. Unreadable, with the reason, if it says nothing that can be shown.
export async function read(fragment) {
  if (fragment.length > MOST_CHARACTERS) throw new Unreadable("it is too long");
  const [, version, text] = /^([0-9]{1,4})\.([A-Za-z0-9_-]*)$/.exec(fragment) ?? [];
  if (version === undefined) throw new Unreadable("it is damaged, or no link of this page");
  if (version !== VERSION) throw new Unreadable(`it is of version ${version}, and this page reads version ${VERSION}`);
  let state;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (c) => c.charCodeAt(0)));
    state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable("it is damaged: a part of it may be missing");
  }
  return checked(state);
}

function checked(state) {
  if (state === null || typeof state !== "object" || Array.isArray(state)) throw new Unreadable("it holds no program");
  const found = { seed: 0, ...Object.fromEntries(TEXTS.map((name) => [name, ""])) };
  for (const [name, value] of Object.entries(state)) {
    if (!Object.hasOwn(found, name)) throw new Unreadable(`it holds ${JSON.stringify(name).slice(0, 40)}, which is nothing here`);
    const fits = name === "seed" ? Number.isSafeInteger(value) && value >= 0 : typeof value === "string";
    if (!fits) throw new Unreadable(`its ${name} is of the wrong kind`);
    found[name] = value;
  }
  return found;
}
