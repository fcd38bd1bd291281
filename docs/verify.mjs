// Verify a studiograph service, or what was saved from it, from outside. Copy this file freely.
//
//   node verify.mjs https://studio.example   everything the service signs, and its log
//   node verify.mjs FILE [JWKS_FILE]         an envelope; with a key set also a proof or an answer
// Needs Node 20 and nothing else. Exit code 0: all is right; 1: see the line WRONG; 2: usage.
// In a browser: (await import("./verify.mjs")).verifyService("https://...") resolves to the lines.

const SECTIONS = `studio.identity studio.founder studio.practice studio.convictions
  studio.lookingFor studio.scheduling studio.journey studio.currentlyStudying studio.certifications
  studio.onChain projects domains engagement faq glossary`.split(/\s+/);
const UTC = /^"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}Z"$/;
const KID = /^"[\w.-]+-\d{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9]\d+))?"$/;
const [BYTES_32, BYTES_64] = [/^"[\w-]{42}[AEIMQUYcgkosw048]"$/, /^"[\w-]{85}[AQgw]"$/];
const SIGNATURE = /\n— ([^ \n]+) ([A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=)(?=\n)/g;
const [TEXT, ARRAY, OBJECT, HASH] = [/^".+"$/s, /^\[/, /^\{/, /^sha256:[0-9a-f]{64}$/];
const KEY = { kty: "OKP", crv: "Ed25519", x: BYTES_32, use: "sig", alg: "EdDSA", kid: KID };
const MARKS = /((?:\p{White_Space}*\[[0-9]+\])+|\n\p{White_Space}*\n)/u;
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
export function parsed(text) { // its value; JSON.parse alone accepts 1.0 and repeated keys
  const [value, open] = [JSON.parse(text), []];
  const isAnswer = has(value, "proofs"); // it may have fractions
  const tokens = text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}]|-?\d[^\s,\]}]*/g);
  for (const [token, string, colon] of tokens) {
    if (token === "{") open.unshift(new Set());
    else if (token === "}") open.shift();
    else if (!string) need(isAnswer || /^-?\d+$/.test(token), "a number is no safe integer");
    else if (colon) need(open[0].size < open[0].add(JSON.parse(string)).size, "a repeated key");
  }
  return isAnswer ? value : canonical(value) && value;
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
async function keySet(value) { // what depends on a key, by kid; null if it is revoked. RFC 7638
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
async function envelope(value, keys, members) { // its payload, once it has these members
  const [payload, jwk] = [at(value, "payload"), at(value, "publicJwk")];
  need(keys.has(at(jwk, "kid")), "key is not in the key set");
  const bound = { canonicalizationProfile: "jcs-rfc8785-subset" };
  if (has(payload, "section")) bound.rollupHash = at(payload, "rollupHash");
  agree(value, { ...ENVELOPE, ...need(keys.get(jwk.kid), "key is revoked"), ...bound });
  await verify(unbase64(jwk.x), unbase64(value.signature), canonical(payload));
  agree(payload, members ?? payload);
  return payload;
}
const digest = async (...parts) => `sha256:${hex(await sha256(...parts))}`;
const bytes = (text) => Uint8Array.from(text.slice(7).match(/../g), (pair) => parseInt(pair, 16));
const node = (left, right) => digest("\u0001", bytes(left), bytes(right));
const half = (size) => 2 ** Math.floor(Math.log2(size - 1)); // the greatest power of 2 below it
async function root(entries) { // the head of their tree. RFC 9162 2.1.1
  if (entries.length <= 1) return digest(...entries.map((entry) => `\0${canonical(entry)}`));
  const middle = half(entries.length);
  return node(await root(entries.slice(0, middle)), await root(entries.slice(middle)));
}
async function climb(text, index, size, path) { // the head that it leads to. RFC 9162 2.1.3
  const isPlace = Number.isInteger(index + size) && index >= 0 && index < size;
  need(isPlace && size > 1 === path.length > 0, "wrong path");
  if (size === 1) return digest(`\0${text}`);
  const [middle, last, rest] = [half(size), path.at(-1), path.slice(0, -1)];
  need(HASH.test(last), "wrong path");
  if (index < middle) return node(await climb(text, index, middle, rest), last);
  return node(last, await climb(text, index - middle, size - middle, rest));
}
async function checkpoint(note, keys, size, head) { // its origin, once it is signed. C2SP
  const [origin] = note.split("\n");
  const text = `${origin}\n${size}\n${base64(bytes(head))}\n`;
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
async function proof(value, keys) { // what the statement says
  const { log, size, path, contentRoot } = value;
  const [said, leaf] = [parsed(at(value, "statement")), parsed(value.revisionLeaf)];
  const head = await climb(value.revisionLeaf, log.index, log.size, log.path);
  need(await checkpoint(log.checkpoint, keys, log.size, head) === log.origin, "wrong origin");
  need(leaf.contentRoot === contentRoot && leaf.statements === size, "contentRoot or size differs");
  need(await root([said]) === value.leafHash, "wrong leafHash");
  need(await climb(value.statement, value.index, size, path) === contentRoot, "wrong path");
  return need(at(said, "name") === value.name, "wrong name") && at(said, "data");
}
const plain = (text) => String(text).replace(/\p{White_Space}+/gu, " ").trim();
const literal = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const texts = (value) => typeof value !== "object" // each text, number and length of a list
  ? [value].filter((each) => /string|number/.test(typeof each)).map(plain)
  : [...(Array.isArray(value) ? [value.length] : []), ...Object.values(value ?? {})].flatMap(texts);
function stands(sentence, citation, proven) { // how, or nothing if it does not
  let data = proven.get(citation.url.split("/api/").slice(1).join("/api/"));
  const tails = [...sentence.matchAll(/^|: /g)].map((m) => sentence.slice(m.index + m[0].length));
  const whole = (tail) => new RegExp(`(^|[.!?:;)"'] ?)${literal(tail)}($|(?<=[.!?:;)"']))`, "u");
  const first = tails.findIndex((tail) => texts(data).some((text) => whole(tail).test(text)));
  if (first >= 0) return first ? "in part" : "quoted";
  for (const part of (citation.pointer ?? "/\0").split("/").slice(1)) { // RFC 6901
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    data = typeof data === "object" && Object.keys(data ?? {}).includes(key) ? data[key] : null;
  }
  const [start, end] = ["(?<![\\p{L}\\p{N}_])", "(?![\\p{L}\\p{N}_])"]; // of a word
  const values = texts(data).filter(Boolean).map((text) => `${start}${literal(text)}${end}`);
  if (typeof data === "boolean") values.push(`^${data ? "Yes" : "No"}${end}`);
  return values.some((value) => new RegExp(value, "u").test(sentence)) ? "in part" : "";
}
async function answer(value, keys) { // a line for what is not proven
  const [proven, proofs] = [new Map(), value.proofs?.map(parsed) ?? [value]];
  for (const each of proofs) proven.set(each.name, await proof(each, keys));
  const cited = new Map((value.citations ?? []).map((citation) => [`[${citation.n}]`, citation]));
  const [parts, lines] = [`${value.answer ?? ""}\n\n`.split(MARKS).map(plain), []];
  for (let place = 0; place + 1 < parts.length; place += 2) {
    const [sentence, marks] = [parts[place], parts[place + 1].match(/\[[0-9]+\]/g) ?? []];
    const how = marks.map((n) => cited.has(n) && stands(sentence, cited.get(n), proven));
    need(how.some(Boolean) || !sentence || !marks.length, `is not in what it cites: ${sentence}`);
    if (!sentence || how.includes("quoted")) continue;
    lines.push(`${marks.length ? "in part" : "unproven"}  ${sentence}`);
  }
  return lines;
}
async function* service() { // yields each path to read and is sent its value
  const keys = await keySet(yield "/.well-known/jwks.json");
  const manifest = await envelope(yield "/api/manifest.sig", keys);
  need(HASH.test(at(manifest, "revision")), "wrong revision");
  const byDate = ({ publishedAt: a }, { publishedAt: b }) => (a > b) - (a < b);
  const entries = at(manifest, "changelog").toSorted(byDate);
  const head = await root(entries);
  const log = { rollupHash: head, treeSize: entries.length };
  agree(yield "/api/manifest", { ...manifest, rollupHash: head });
  await envelope(yield "/api/changelog.sig", keys, { entries: manifest.changelog, ...log });
  const allowed = at(at(yield "/api/snapshot.sig", "fields")[0], "allowed");
  const studio = Object.entries(at(manifest, "studio"));
  const own = studio.filter(([name]) => ![...allowed, ...SECTIONS].includes(`studio.${name}`));
  const parts = { ...manifest, "studio.identity": Object.fromEntries(own) };
  for (const [name, value] of studio) parts[`studio.${name}`] = value;
  const isSaid = (n) => !!String(parts[n] ?? "");
  need(SECTIONS.every((n) => allowed.includes(n) || !isSaid(n)), "does not list its parts");
  for (const n of allowed) await envelope(yield `/api/snapshot.sig?section=${n}`, keys, {
    section: n, data: isSaid(n) ? parts[n] : /^(\[]|{})$/, revision: manifest.revision, ...log });
  const origin = await checkpoint((yield "/api/log/checkpoint").note, keys, entries.length, head);
  for (const index of entries.length ? new Set([0, entries.length - 1]) : []) {
    const [entry, said] = [entries[index], yield `/api/log/proof?index=${index}`];
    const proof = { origin, index, entry: entry.id, path: ARRAY, ...log };
    agree(said, { ...proof, leafHash: await root([entry]) });
    const found = await climb(canonical(entry), index, entries.length, said.path);
    need(found === head, "wrong path");
  }
}
async function* saved(file, jwks) { // the same for what was saved
  const keys = jwks && (await keySet(yield jwks));
  const value = yield file;
  if (!has(value, "payload")) return answer(value, need(keys, "needs a key set") && keys);
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
    if (following.done) return [...lines, ...(following.value ?? [])];
    place = following.value;
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
