// Check a studiograph service, or an envelope saved from it, from outside: copy this file freely.
//
//   node verify.mjs https://studio.example      everything the service signs, and its log
//   node verify.mjs saved.json [jwks.json]      an envelope, by that key set or its own key alone
// Needs Node 20 and nothing else. Exit 0: all holds; 1: see the line WRONG; 2: a wrong call.
// In a browser: (await import("./verify.mjs")).verifyService("https://...") resolves to the lines.

const SECTIONS = `studio.identity studio.founder studio.practice studio.convictions
  studio.lookingFor studio.scheduling studio.journey studio.currentlyStudying studio.certifications
  studio.onChain projects domains engagement faq glossary`.split(/\s+/);
const ABOUT = "name url tagline oneLiner description founded ens contact social languages thesis";
const UTC = /^"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}Z"$/;
const KID = /^"[\w.-]+-\d{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9]\d+))?"$/;
const BYTES_32 = /^"[\w-]{42}[AEIMQUYcgkosw048]"$/; // base64url in its one spelling
const BYTES_64 = /^"[\w-]{85}[AQgw]"$/;
const SIGNATURE = /\n— ([^ \n]+) ([A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=)(?=\n)/g;
const [TEXT, ARRAY, OBJECT] = [/^".+"$/s, /^\[/, /^\{/];
const KEY = { kty: "OKP", crv: "Ed25519", x: BYTES_32, use: "sig", alg: "EdDSA", kid: KID };
const ENVELOPE = { payload: OBJECT, signature: BYTES_64, signedAt: UTC, verificationHint: TEXT };

class Wrong extends Error {}
const fail = (what) => { throw new Wrong(what); };
const need = (truth, what) => truth || fail(what);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const has = (value, name) => isObject(value) && Object.hasOwn(value, name);
const at = (value, name) => need(has(value, name), "wrong form") && value[name];

export function canonical(value) { // RFC 8785 text of a value without fractions
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const names = isObject(value) && Object.keys(value).sort(); // by UTF-16 code units
  if (names) return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`)}}`;
  if (typeof value === "number") need(Number.isSafeInteger(value), "a number is no safe integer");
  need(!/\p{Surrogate}/u.test(value), "a lone surrogate");
  return JSON.stringify(value).toString(); // undefined has none
}
// The value of JSON text that has a canonical form. JSON.parse alone takes 1.0, and a key twice.
export function parsed(text) {
  const [value, open] = [JSON.parse(text), []];
  const tokens = text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}]|-?\d[^\s,\]}]*/g);
  for (const [token, string, colon] of tokens) {
    if (token === "{") open.unshift(new Set());
    else if (token === "}") open.shift();
    else if (!string) need(/^-?\d+$/.test(token), "a number is no safe integer");
    else if (colon) need(open[0].size < open[0].add(JSON.parse(string)).size, "a key stands twice");
  }
  return canonical(value) && value;
}
function agree(value, members) { // in names, and in values or their form
  const names = Object.keys(members).sort();
  const same = isObject(value) && String(Object.keys(value).sort()) === String(names);
  need(same, `members are not ${names.join(" ")}`);
  for (const name of names) {
    const [is, wanted] = [canonical(value[name]), members[name]];
    need(wanted instanceof RegExp ? wanted.test(is) : is === canonical(wanted), `wrong ${name}`);
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
// What an envelope says of its key, by kid (RFC 8037, 7638). A revoked kid has nothing to say.
async function keySet(value) {
  agree(value, { keys: ARRAY, revoked: ARRAY });
  const keys = new Map();
  for (const old of value.revoked) {
    agree(old, { kid: KID, thumbprint: BYTES_32, revokedAt: UTC });
    keys.set(old.kid, null).set(old.thumbprint, null);
  }
  for (const jwk of value.keys) {
    agree(jwk, KEY);
    const digest = base64(await sha256(`{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`));
    const thumbprint = digest.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    need(!keys.has(jwk.kid) && !keys.has(thumbprint), "a key stands twice or is revoked");
    keys.set(jwk.kid, { publicJwk: jwk, thumbprint });
  }
  return keys;
}
// The payload, with these members, of an envelope that one of the keys signed.
async function envelope(value, keys, members) {
  const [payload, jwk] = [at(value, "payload"), at(value, "publicJwk")];
  need(keys.has(at(jwk, "kid")), "key is not in the key set");
  const bound = { canonicalizationProfile: "jcs-rfc8785-subset" };
  if (has(payload, "section")) bound.rollupHash = at(payload, "rollupHash");
  agree(value, { ...ENVELOPE, ...need(keys.get(jwk.kid), "revoked key"), ...bound });
  await verify(unbase64(jwk.x), unbase64(value.signature), canonical(payload));
  agree(payload, members ?? payload);
  return payload;
}
async function tree(entries) { // RFC 9162 2.1: the head of the log, and the path to it from each
  const leaves = entries.map((entry) => `\0${canonical(entry)}`);
  if (entries.length <= 1) return [await sha256(...leaves), entries.map(() => [])];
  const half = 2 ** Math.floor(Math.log2(entries.length - 1));
  const [left, lefts] = await tree(entries.slice(0, half));
  const [right, rights] = await tree(entries.slice(half));
  const add = (paths, node) => paths.map((path) => [...path, node]);
  return [await sha256("\u0001", left, right), [...add(lefts, right), ...add(rights, left)]];
}
// The origin of a C2SP checkpoint of this head that one of the keys signed.
async function checkpoint(note, keys, size, head) {
  const [origin] = note.split("\n");
  const text = `${origin}\n${size}\n${base64(head)}\n`;
  need(note.startsWith(`${text}\n— `), "not the head of the log");
  for (const [, name, blob] of note.matchAll(SIGNATURE)) for (const key of keys.values()) {
    if (name !== origin || !key) continue;
    const [x, data] = [unbase64(key.publicJwk.x), unbase64(blob)];
    if (hex(data).slice(0, 8) !== hex(await sha256(`${origin}\n\u0001`, x)).slice(0, 8)) continue;
    await verify(x, data.slice(4), text);
    return origin;
  }
  return fail("key is not in the key set");
}
// Yields what to read of a service, is sent its value, and yields the next if it is right.
async function* service() {
  const keys = await keySet(yield "/.well-known/jwks.json");
  const manifest = await envelope(yield "/api/manifest.sig", keys);
  need(/^sha256:[0-9a-f]{64}$/.test(at(manifest, "revision")), "wrong revision");
  const age = ({ publishedAt: one }, { publishedAt: other }) => (one > other) - (one < other);
  const entries = at(manifest, "changelog").toSorted(age);
  const [[head, paths], named] = [await tree(entries), (hash) => `sha256:${hex(hash)}`];
  const log = { rollupHash: named(head), treeSize: entries.length };
  agree(yield "/api/manifest", { ...manifest, rollupHash: named(head) });
  await envelope(yield "/api/changelog.sig", keys, { entries: manifest.changelog, ...log });
  const allowed = String(at(at(yield "/api/snapshot.sig", "fields")[0], "allowed").toSorted());
  need(allowed === String(SECTIONS.toSorted()), "allowed are not the 15 sections");
  const fields = Object.entries(at(manifest, "studio"));
  const identity = fields.filter(([name]) => ABOUT.split(" ").includes(name));
  const studio = { ...manifest.studio, identity: Object.fromEntries(identity) };
  for (const section of SECTIONS) {
    const [top, field] = section.split(".");
    const data = field ? at(studio, field) : at(manifest, top);
    const bound = { section, data, revision: manifest.revision, ...log };
    await envelope(yield `/api/snapshot.sig?section=${section}`, keys, bound);
  }
  const origin = await checkpoint((yield "/api/log/checkpoint").note, keys, entries.length, head);
  for (const index of entries.length ? new Set([0, entries.length - 1]) : []) {
    const proof = { origin, index, entry: entries[index].id, path: paths[index].map(named) };
    const leafHash = named((await tree([entries[index]]))[0]);
    agree(yield `/api/log/proof?index=${index}`, { ...proof, leafHash, ...log });
  }
}
async function* saved(file, jwks) { // the same of a saved envelope
  const keys = jwks && (await keySet(yield jwks));
  const value = yield file;
  await envelope(value, keys ?? (await keySet({ keys: [at(value, "publicJwk")], revoked: [] })));
}
async function get(url) {
  const [status, pieces] = [url.endsWith("api/snapshot.sig") ? 400 : 200, []];
  const options = { redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(url, options).catch(() => fail("no answer"));
  need(answer.status === status, `status ${answer.status} instead of ${status}`);
  const reader = answer.body.getReader();
  for (let piece = {}, size = 0; !piece.done; size += piece.value?.length) {
    need(size <= 2 ** 24, "more than 16 MiB");
    piece = await reader.read().catch(() => fail("no answer"));
    pieces.push(piece.value ?? "");
  }
  return new Blob(pieces).arrayBuffer();
}
async function run(steps, read) { // a line for each step, up to the first that is wrong
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
    return [...lines, `WRONG  ${place}: ${error instanceof Wrong ? error.message : "wrong form"}`];
  }
}
export async function verifyService(address) {
  const read = (path) => get(address.replace(/\/+$/, "") + path);
  const look = async () => String(await run(["/api/manifest"].values(), read));
  for (let reading = 1; ; reading++) { // again, when a new revision came while it was read
    const [before, lines] = [await look(), await run(service(), read)];
    if (reading === 4 || before === (await look())) return lines;
  }
}

const [script, ...words] = globalThis.process?.argv?.slice(1) ?? []; // nothing in a browser
const [fs, urls] = script ? [await import("node:fs"), await import("node:url")] : [];
if (fs?.existsSync(script) && fs.realpathSync(script) === urls.fileURLToPath(import.meta.url)) {
  const isFile = (word) => fs.statSync(word, { throwIfNoEntry: false })?.isFile();
  const url = words.length === 1 && /^https?:\/\/[^/]/.test(words[0]);
  const files = [1, 2].includes(words.length) && words.every(isFile);
  const work = url ? verifyService(words[0]) : files && run(saved(...words), fs.readFileSync);
  if (work) console.log((await work).join("\n"));
  else console.error("usage: verify.mjs BASE_URL | FILE [JWKS_FILE]");
  process.exitCode = work ? Number((await work).at(-1).startsWith("WRONG")) : 2;
}
