// Verify a studiograph service, or what was saved from it, from outside. Copy this file freely.
//
//   node verify.mjs https://studio.example      everything the service signs, and its log
//   node verify.mjs saved.json [jwks.json]      one envelope, with a key set or with its own key
//   node verify.mjs proof.json jwks.json        the proof of a statement
// Needs Node 20 and nothing else. Exit code 0: all is right; 1: see the line WRONG; 2: usage.
// In a browser: (await import("./verify.mjs")).verifyService("https://...") resolves to the lines.

const SECTIONS = `studio.identity studio.founder studio.practice studio.convictions
  studio.lookingFor studio.scheduling studio.journey studio.currentlyStudying studio.certifications
  studio.onChain projects domains engagement faq glossary`.split(/\s+/);
const ABOUT = "name url tagline oneLiner description founded ens contact social languages thesis";
const UTC = /^"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}Z"$/;
const KID = /^"[\w.-]+-\d{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9]\d+))?"$/;
const [BYTES_32, BYTES_64] = [/^"[\w-]{42}[AEIMQUYcgkosw048]"$/, /^"[\w-]{85}[AQgw]"$/];
const SIGNATURE = /\n— ([^ \n]+) ([A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=)(?=\n)/g;
const [TEXT, ARRAY, OBJECT] = [/^".+"$/s, /^\[/, /^\{/];
const KEY = { kty: "OKP", crv: "Ed25519", x: BYTES_32, use: "sig", alg: "EdDSA", kid: KID };
const [DIGEST, NUMBER] = [/^"sha256:[0-9a-f]{64}"$/, /^(0|[1-9][0-9]*)$/];
const LOG = { origin: TEXT, index: NUMBER, size: NUMBER, path: ARRAY, checkpoint: TEXT };
const PROOF = { name: TEXT, statement: TEXT, leafHash: DIGEST, index: NUMBER, size: NUMBER,
  path: ARRAY, contentRoot: DIGEST, revisionLeaf: TEXT, log: OBJECT };
const ENVELOPE = { payload: OBJECT, signature: BYTES_64, signedAt: UTC, verificationHint: TEXT };

class Wrong extends Error {}
const fail = (reason) => { throw new Wrong(reason); };
const need = (condition, reason) => condition || fail(reason);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const has = (value, name) => isObject(value) && Object.hasOwn(value, name);
const at = (value, name) => need(has(value, name), "malformed") && value[name];

export function canonical(value) { // the RFC 8785 text of a value without fractions
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const names = isObject(value) && Object.keys(value).sort(); // by UTF-16 code units
  if (names) return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`)}}`;
  if (typeof value === "number") need(Number.isSafeInteger(value), "a number is no safe integer");
  need(!/\p{Surrogate}/u.test(value), "a lone surrogate");
  return JSON.stringify(value).toString(); // throws for undefined
}
// The value of JSON text, or an error. JSON.parse alone accepts 1.0 and repeated keys.
export function parsed(text) {
  const [value, open] = [JSON.parse(text), []];
  const tokens = text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}]|-?\d[^\s,\]}]*/g);
  for (const [token, string, colon] of tokens) {
    if (token === "{") open.unshift(new Set());
    else if (token === "}") open.shift();
    else if (!string) need(/^-?\d+$/.test(token), "a number is no safe integer");
    else if (colon) need(open[0].size < open[0].add(JSON.parse(string)).size, "a repeated key");
  }
  return canonical(value) && value;
}
function agree(value, members) { // same names; same values or matching patterns
  const names = Object.keys(members).sort();
  const same = isObject(value) && String(Object.keys(value).sort()) === String(names);
  need(same, `members must be ${names.join(" ")}`);
  for (const name of names) {
    const [text, want] = [canonical(value[name]), members[name]];
    need(want instanceof RegExp ? want.test(text) : text === canonical(want), `wrong ${name}`);
  }
}
const hex = (data) => [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (data) => btoa(String.fromCharCode(...data));
const unbase64 = (text) => Uint8Array.from(
  atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const sha256 = async (...parts) => new Uint8Array(
  await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
async function verify(x, signature, text) {
  const key = await crypto.subtle.importKey("raw", x, "Ed25519", false, ["verify"]);
  const data = new TextEncoder().encode(text);
  need(await crypto.subtle.verify("Ed25519", key, signature, data), "signature does not verify");
}
// The members of an envelope that depend on its key, by kid; null for revoked ones (RFC 7638).
async function keySet(value) {
  agree(value, { keys: ARRAY, revoked: ARRAY });
  const keys = new Map();
  for (const revoked of value.revoked) {
    agree(revoked, { kid: KID, thumbprint: BYTES_32, revokedAt: UTC });
    keys.set(revoked.kid, null).set(revoked.thumbprint, null);
  }
  for (const jwk of value.keys) {
    agree(jwk, KEY);
    const digest = base64(await sha256(`{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`));
    const thumbprint = digest.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    need(!keys.has(jwk.kid) && !keys.has(thumbprint), "a key is listed twice or is revoked");
    keys.set(jwk.kid, { publicJwk: jwk, thumbprint });
  }
  return keys;
}
// The payload of an envelope, once it has these members and one of the keys has signed it.
async function envelope(value, keys, members) {
  const [payload, jwk] = [at(value, "payload"), at(value, "publicJwk")];
  need(keys.has(at(jwk, "kid")), "key is not in the key set");
  const bound = { canonicalizationProfile: "jcs-rfc8785-subset" };
  if (has(payload, "section")) bound.rollupHash = at(payload, "rollupHash");
  agree(value, { ...ENVELOPE, ...need(keys.get(jwk.kid), "key is revoked"), ...bound });
  await verify(unbase64(jwk.x), unbase64(value.signature), canonical(payload));
  agree(payload, members ?? payload);
  return payload;
}
async function tree(entries) { // the head of the log and the path of each entry. RFC 9162 2.1
  const leaves = entries.map((entry) => `\0${canonical(entry)}`);
  if (entries.length <= 1) return [await sha256(...leaves), entries.map(() => [])];
  const half = 2 ** Math.floor(Math.log2(entries.length - 1));
  const [left, lefts] = await tree(entries.slice(0, half));
  const [right, rights] = await tree(entries.slice(half));
  const add = (paths, node) => paths.map((path) => [...path, node]);
  return [await sha256("\u0001", left, right), [...add(lefts, right), ...add(rights, left)]];
}
// The origin of a C2SP checkpoint, once it has this head and one of the keys has signed it.
async function checkpoint(note, keys, size, head) {
  const [origin] = note.split("\n");
  const text = `${origin}\n${size}\n${base64(head)}\n`;
  need(note.startsWith(`${text}\n— `), "is not the head of the log");
  for (const [, name, blob] of note.matchAll(SIGNATURE)) for (const key of keys.values()) {
    if (name !== origin || !key) continue;
    const [x, data] = [unbase64(key.publicJwk.x), unbase64(blob)];
    if (hex(data).slice(0, 8) !== hex(await sha256(`${origin}\n\u0001`, x)).slice(0, 8)) continue;
    await verify(x, data.slice(4), text);
    return origin;
  }
  return fail("key is not in the key set");
}
// The head that the path of a text leads to. RFC 9162 2.1.3.2
async function climb(text, { index, size, path }) {
  let [digest, node, last] = [await sha256(`\0${text}`), index, size - 1];
  need(node <= last, "index is not below size");
  for (const step of path) {
    need(DIGEST.test(canonical(step)) && last, "wrong path");
    const raw = Uint8Array.from(step.slice(7).match(/../g), (pair) => parseInt(pair, 16));
    const right = node % 2 === 1 || node === last;
    digest = await sha256("\u0001", ...(right ? [raw, digest] : [digest, raw]));
    const up = () => { [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]; };
    while (right && node && node % 2 === 0) up();
    up();
  }
  need(last === 0, "wrong path");
  return digest;
}
async function proof(value, keys) {
  agree(value, PROOF);
  agree(value.log, LOG);
  const [said, leaf] = [JSON.parse(value.statement), JSON.parse(value.revisionLeaf)];
  const [digest, { log }] = [async (...of) => `sha256:${hex(await climb(...of))}`, value];
  const origin = await checkpoint(
    log.checkpoint, keys, log.size, await climb(value.revisionLeaf, log));
  need(origin === log.origin, "wrong origin");
  const bound = leaf.contentRoot === value.contentRoot && leaf.statements === value.size;
  need(bound, "contentRoot or size differs from revisionLeaf");
  const alone = await digest(value.statement, { index: 0, size: 1, path: [] });
  need(alone === value.leafHash, "wrong leafHash");
  need(await digest(value.statement, value) === value.contentRoot, "the statement is not in it");
  need(said.name === value.name, "wrong name");
}
// Yields each path to read of a service and is sent its value.
async function* service() {
  const keys = await keySet(yield "/.well-known/jwks.json");
  const manifest = await envelope(yield "/api/manifest.sig", keys);
  need(/^sha256:[0-9a-f]{64}$/.test(at(manifest, "revision")), "wrong revision");
  const byDate = ({ publishedAt: a }, { publishedAt: b }) => (a > b) - (a < b);
  const entries = at(manifest, "changelog").toSorted(byDate);
  const [[head, paths], digest] = [await tree(entries), (hash) => `sha256:${hex(hash)}`];
  const log = { rollupHash: digest(head), treeSize: entries.length };
  agree(yield "/api/manifest", { ...manifest, rollupHash: digest(head) });
  await envelope(yield "/api/changelog.sig", keys, { entries: manifest.changelog, ...log });
  const allowed = String(at(at(yield "/api/snapshot.sig", "fields")[0], "allowed").toSorted());
  const fields = Object.entries(at(manifest, "studio"));
  const identity = fields.filter(([name]) => ABOUT.split(" ").includes(name));
  const studio = { ...manifest.studio, identity: Object.fromEntries(identity) };
  const data = (name) => name.split(".").reduce((it, key) => it?.[key], { ...manifest, studio });
  const present = SECTIONS.filter((name) => data(name) && String(data(name)));
  need(allowed === String(present.toSorted()), "does not list its parts");
  for (const section of present) {
    const bound = { section, data: data(section), revision: manifest.revision, ...log };
    await envelope(yield `/api/snapshot.sig?section=${section}`, keys, bound);
  }
  const origin = await checkpoint((yield "/api/log/checkpoint").note, keys, entries.length, head);
  for (const index of entries.length ? new Set([0, entries.length - 1]) : []) {
    const proof = { origin, index, entry: entries[index].id, path: paths[index].map(digest) };
    const leafHash = digest((await tree([entries[index]]))[0]);
    agree(yield `/api/log/proof?index=${index}`, { ...proof, leafHash, ...log });
  }
}
async function* saved(file, jwks) { // the same for a saved envelope
  const keys = jwks && (await keySet(yield jwks));
  const value = yield file;
  if (has(value, "statement")) return proof(value, need(keys, "needs a key set") && keys);
  await envelope(value, keys ?? (await keySet({ keys: [at(value, "publicJwk")], revoked: [] })));
}
async function get(url) {
  const [status, chunks] = [url.endsWith("api/snapshot.sig") ? 400 : 200, []];
  const options = { redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(10_000) };
  const response = await fetch(url, options).catch(() => fail("no response"));
  need(response.status === status, `status ${response.status} instead of ${status}`);
  const reader = response.body.getReader();
  for (let chunk = {}, size = 0; !chunk.done; size += chunk.value?.length) {
    need(size <= 2 ** 24, "more than 16 MiB");
    chunk = await reader.read().catch(() => fail("no response"));
    chunks.push(chunk.value ?? "");
  }
  return new Blob(chunks).arrayBuffer();
}
async function run(steps, read) { // a line for each step until one is wrong
  const [lines, decoder] = [[], new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })];
  let { value: place } = await steps.next();
  for (;;) try {
    const text = decoder.decode(await read(place));
    const value = place.endsWith("/checkpoint") ? { note: text } : parsed(text);
    const following = await steps.next(value);
    const name = (value.publicJwk ?? value).kid ?? value.revision ?? "";
    lines.push(`ok  ${place.split("/").pop()}  ${name}`.trimEnd());
    if (!(place = following.value)) return lines;
  } catch (error) {
    return [...lines, `WRONG  ${place}: ${error instanceof Wrong ? error.message : "malformed"}`];
  }
}
export async function verifyService(address) {
  const read = (path) => get(address.replace(/\/+$/, "") + path);
  const look = async () => String(await run(["/api/manifest"].values(), read));
  for (let reading = 1; ; reading++) { // again if a new revision was published meanwhile
    const [before, lines] = [await look(), await run(service(), read)];
    if (reading === 4 || before === (await look())) return lines;
  }
}
export async function main(words) { // verifies, prints the lines and returns the exit code
  const isFile = (word) => fs.statSync(word, { throwIfNoEntry: false })?.isFile();
  const url = words.length === 1 && /^https?:\/\/[^/]/.test(words[0]);
  const files = [1, 2].includes(words.length) && words.every(isFile);
  if (!url && !files) return console.error("usage: verify.mjs BASE_URL | FILE [JWKS_FILE]") ?? 2;
  const lines = await (url ? verifyService(words[0]) : run(saved(...words), fs.readFileSync));
  console.log(lines.join("\n"));
  return Number(lines.at(-1).startsWith("WRONG"));
}
const [script, ...words] = globalThis.process?.argv?.slice(1) ?? []; // empty in a browser
const [fs, urls] = script ? [await import("node:fs"), await import("node:url")] : [];
const isMain = (file) => fs.realpathSync(file) === urls.fileURLToPath(import.meta.url);
if (fs?.existsSync(script) && isMain(script)) process.exitCode = await main(words);
