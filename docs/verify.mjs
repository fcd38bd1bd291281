// Verify a studiograph service, or what was saved from it, from outside. Copy this file freely.
//
//   node verify.mjs https://studio.example [--seen FILE]
//   node verify.mjs FILE [KEY_SET_FILE] [--address URL]
//
// This is docs/verify.py in JavaScript, part by part and under the same names: what each part does
// is written there. Both say the same of every case in tests/vectors/verifier.json.
//
// Exit code 0: all is right. 1: the line WRONG says what is not. 2: wrong usage.
// 3: nothing is wrong, but the lines `in part` and `unproven` say what is not proven.
//
// Needs Node 20 and nothing else. In a browser:
// (await import("./verify.mjs")).verifyService("https://...") resolves to the lines.

class Wrong extends Error {}
const fail = (reason) => { throw new Wrong(reason); };
const need = (condition, reason) => condition || fail(reason);

// JSON that can be read in one way only, and its canonical text (RFC 8785).

const DEEPEST = 100;
const ANSWER = ["answer", "citations", "proofs"];
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}]|-?\d[^\s,\]}]*/g;

const isList = Array.isArray;
const isObject = (value) => typeof value === "object" && value !== null && !isList(value);
const has = (value, name) => isObject(value) && Object.hasOwn(value, name);
const sorted = (object) => Object.keys(object).sort(); // by UTF-16 code units, as RFC 8785

export function parse(data, fractions = false) {
  const text = decode(data);
  let value;
  try { value = JSON.parse(text); } catch { fail("is not JSON"); }
  need(depth(value) <= DEEPEST, "is not JSON");
  // JSON.parse takes the last of repeated members, and reads 1.0 as 1
  const hasFractions = fractions && ANSWER.some((name) => has(value, name));
  let [isRepeated, isUnsafe, open] = [false, false, []];
  for (const [token, string, colon] of text.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (!string) {
      const isInteger = /^-?\d+$/.test(token);
      isUnsafe ||= isInteger ? !Number.isSafeInteger(Number(token)) : !hasFractions;
    } else if (colon) {
      const [names, name] = [open.at(-1), JSON.parse(string)];
      isRepeated ||= names.has(name);
      names.add(name);
    }
  }
  need(!isRepeated, "a repeated key");
  need(!isUnsafe, "a number is no safe integer");
  need(!hasSurrogate(value), "a lone surrogate");
  return value;
}
function decode(data) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try { return decoder.decode(data); } catch { return fail("is not UTF-8"); }
}
const encode = (text) => new TextEncoder().encode(text);
function depth(value, level = 0) {
  if (level > DEEPEST || typeof value !== "object" || value === null) return level;
  return Object.values(value).reduce((most, each) => Math.max(most, depth(each, level + 1)), level + 1);
}
function hasSurrogate(value) {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).flat().some(hasSurrogate);
}
export function canonical(value) {
  if (isList(value)) return `[${value.map(canonical)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${sorted(value).map((name) => `${canonical(name)}:${canonical(value[name])}`)}}`;
}

// The form that a member must have: a pattern for a text, a function, or the value itself.

const HASH = /^sha256:[0-9a-f]{64}$/;
const TEXT = /^.+$/s;
const KID = /^[a-z0-9-]{1,80}-[0-9]{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9][0-9]+))?$/;
const BYTES_32 = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const BYTES_64 = /^[A-Za-z0-9_-]{85}[AQgw]$/;
const INSTANT =
  /^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isEmpty = (value) => value === undefined || ["null", '""', "[]", "{}"].includes(canonical(value));
function isInstant(value) {
  const match = typeof value === "string" && INSTANT.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1, 4).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
}
const VALID = new Map(); // what was found of each key, as it takes long
function isPublicKey(value) {
  if (typeof value !== "string" || !BYTES_32.test(value)) return false;
  if (!VALID.has(value)) VALID.set(value, isValidPoint(base64url(value)));
  return VALID.get(value);
}
function fits(value, form) {
  if (form instanceof RegExp) return typeof value === "string" && form.test(value);
  return typeof form === "function" ? form(value) : canonical(value) === canonical(form);
}
function agree(value, forms, where = "", more = false) {
  const names = sorted(forms);
  const isWhole = isObject(value) && names.every((name) => has(value, name))
    && (more || Object.keys(value).length === names.length);
  need(isWhole, `members must be ${names.map((name) => where + name).join(" ")}`);
  for (const name of names) need(fits(value[name], forms[name]), `wrong ${where}${name}`);
}

// Keys (RFC 8037, RFC 7638) and envelopes.

const KEY = {
  kty: "OKP", crv: "Ed25519", x: isPublicKey, use: "sig", alg: "EdDSA", kid: KID,
};
const ENVELOPE = {
  payload: isObject,
  signature: BYTES_64,
  publicJwk: isObject,
  thumbprint: BYTES_32,
  canonicalizationProfile: "jcs-rfc8785-subset",
  signedAt: isInstant,
  verificationHint: TEXT,
};

async function readKeys(document) {
  agree(document, { keys: isList, revoked: isList });
  const twice = "a key is listed twice or is revoked";
  const [revoked, trusted] = [new Set(), new Map()];
  for (const key of document.revoked) {
    agree(key, { kid: KID, thumbprint: BYTES_32, revokedAt: isInstant });
    need(!revoked.has(key.kid) && !revoked.has(key.thumbprint), twice);
    revoked.add(key.kid).add(key.thumbprint);
  }
  const seen = new Set(revoked);
  for (const key of document.keys) {
    agree(key, KEY);
    const own = await thumbprint(key.x);
    need(!seen.has(key.kid) && !seen.has(own), twice);
    seen.add(key.kid).add(own);
    trusted.set(key.kid, key);
  }
  return { trusted, revoked };
}
async function thumbprint(x) {
  const digest = base64(await sha256(encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)));
  return digest.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}
const base64 = (data) => btoa(String.fromCharCode(...data));
const unbase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const base64url = (text) => unbase64(text.replaceAll("-", "+").replaceAll("_", "/"));
const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (...parts) => new Uint8Array(
  await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));

async function checkSignature(x, signature, data) {
  // WebCrypto compares the first half with a point that depends on the key alone, so it is valid
  // too, unless it is the neutral one, which libsodium refuses
  need(!/^010*$/.test(hex(signature.slice(0, 32))), "signature does not verify");
  const key = await crypto.subtle.importKey("raw", base64url(x), "Ed25519", false, ["verify"]);
  need(await crypto.subtle.verify("Ed25519", key, signature, data), "signature does not verify");
}
async function checkEnvelope(envelope, keys, members) {
  const payload = has(envelope, "payload") ? envelope.payload : undefined;
  const rollup = (value) => fits(value, HASH) && has(payload, "rollupHash") && value === payload.rollupHash;
  agree(envelope, { ...ENVELOPE, ...(has(payload, "section") ? { rollupHash: rollup } : {}) });
  const jwk = envelope.publicJwk;
  const set = keys ?? (await readKeys({ keys: [jwk], revoked: [] }));
  need(fits(jwk.kid, KID) && isPublicKey(jwk.x), "wrong publicJwk");
  const own = await thumbprint(jwk.x);
  need(!set.revoked.has(jwk.kid) && !set.revoked.has(own), "key is revoked");
  need(set.trusted.has(jwk.kid), "key is not in the key set");
  agree(envelope, { publicJwk: set.trusted.get(jwk.kid), thumbprint: own }, "", true);
  await checkSignature(jwk.x, base64url(envelope.signature), encode(canonical(payload)));
  if (members) agree(payload, members);
  return payload;
}

// Points of Edwards25519 (RFC 8032, section 5.1): libsodium can say which of them are valid, and
// WebCrypto cannot.

const PRIME = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const modulo = (value) => ((value % PRIME) + PRIME) % PRIME;
function power(base, exponent) {
  let [result, square] = [1n, modulo(base)];
  for (let rest = exponent; rest; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}
const inverse = (value) => power(value, PRIME - 2n);
const D = modulo(-121665n * inverse(121666n));
function add([x1, y1, z1], [x2, y2, z2]) { // in projective coordinates
  const [a, b, c] = [modulo(z1 * z2), modulo(x1 * x2), modulo(y1 * y2)];
  const [square, e] = [modulo(a * a), modulo(D * b * c)];
  const [f, g] = [modulo(square - e), modulo(square + e)];
  const cross = modulo((x1 + y1) * (x2 + y2) - b - c);
  return [modulo(a * f * cross), modulo(a * g * (b + c)), modulo(f * g)];
}
// A point is valid if it is in the group of prime order, is not the neutral one, and is written as
// RFC 8032 says.
function isValidPoint(data) {
  const number = BigInt(`0x${hex(Uint8Array.from(data).reverse())}`);
  const [y, sign] = [number & (2n ** 255n - 1n), number >> 255n];
  if (y >= PRIME) return false;
  const square = modulo((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (PRIME + 3n) / 8n);
  if (modulo(x * x) !== square) x = modulo(x * power(2n, (PRIME - 1n) / 4n));
  if (modulo(x * x) !== square || x === 0n) return false; // no point, or one of order 1 or 2
  if ((x & 1n) !== sign) x = PRIME - x;
  let [sum, double] = [[0n, 1n, 1n], [x, y, 1n]];
  for (let rest = ORDER; rest; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, double);
    double = add(double, double);
  }
  return sum[0] === 0n && sum[1] === sum[2];
}

// Merkle trees (RFC 9162). Hashes are texts: `sha256:` and hexadecimal digits.

const bytes = (text) => Uint8Array.from(text.slice(7).match(/../g), (pair) => parseInt(pair, 16));
const written = (data) => `sha256:${hex(data)}`;
const leafHash = async (text) => written(await sha256("\0", text));
const nodeHash = async (left, right) => written(await sha256("\u0001", bytes(left), bytes(right)));
const half = (value) => Math.floor(value / 2);
const isEven = (value) => value % 2 === 0;

function readPath(path) {
  need(isList(path) && path.every((step) => fits(step, HASH)), "wrong path");
  return path;
}
async function treeHead(leaves) {
  let level = leaves;
  while (level.length > 1) {
    const next = [];
    for (let place = 0; place < level.length; place += 2) {
      const [left, right] = level.slice(place, place + 2);
      next.push(right ? await nodeHash(left, right) : left);
    }
    level = next;
  }
  return level[0] ?? written(await sha256());
}
async function climb(leaf, index, size, path) {
  if (index >= size) return null;
  let [node, last, digest] = [index, size - 1, leaf];
  for (const step of path) {
    if (last === 0) return null;
    if (!isEven(node) || node === last) {
      digest = await nodeHash(step, digest);
      while (node && isEven(node)) [node, last] = [half(node), half(last)];
    } else digest = await nodeHash(digest, step);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? digest : null;
}
async function hasGrown(old, now, path) {
  if (!(old.size > 0 && old.size < now.size && path.length)) return false;
  const isWhole = Number.isInteger(Math.log2(old.size));
  const [first, ...steps] = isWhole ? [old.digest, ...path] : path;
  let [node, last, left, right] = [old.size - 1, now.size - 1, first, first];
  while (!isEven(node)) [node, last] = [half(node), half(last)];
  for (const step of steps) {
    if (last === 0) return false;
    if (!isEven(node) || node === last) {
      [left, right] = [await nodeHash(step, left), await nodeHash(step, right)];
      while (node && isEven(node)) [node, last] = [half(node), half(last)];
    } else right = await nodeHash(right, step);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && left === old.digest && right === now.digest;
}

// Checkpoints: the head of a log, signed (C2SP signed-note, tlog-checkpoint).

const WHITE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
const NAME = `[^+\\x00-\\x20\\x7f-\\x9f${WHITE}]+`;
const NOTE = new RegExp(
  `^(${NAME})\\n(0|[1-9][0-9]{0,14})\\n([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)\\n\\n`
  + `((?:\u2014 ${NAME} [A-Za-z0-9+/]+={0,2}\\n)+)$`);
const BYTES_68 = /^[A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=$/;

function readNote(note) {
  const match = need(NOTE.exec(note), "malformed checkpoint");
  const [, origin, size, digest, signatures] = match;
  return [{ origin, size: Number(size), digest: written(unbase64(digest)) }, signatures];
}
const isSameHead = (one, other) =>
  one.origin === other.origin && one.size === other.size && one.digest === other.digest;

async function checkNote(note, keys) {
  const [head, signatures] = readNote(note);
  const signed = encode(note.slice(0, note.indexOf("\n\n") + 1));
  let isSigned = false;
  for (const line of signatures.split("\n").slice(0, -1)) {
    const [, name, blob] = line.split(" ");
    if (name !== head.origin || !BYTES_68.test(blob)) continue; // somebody else's
    const data = unbase64(blob);
    for (const { x } of keys.trusted.values()) {
      const keyId = (await sha256(`${name}\n\u0001`, base64url(x))).slice(0, 4);
      if (hex(keyId) !== hex(data.slice(0, 4))) continue;
      await checkSignature(x, data.slice(4), signed);
      isSigned = true;
    }
  }
  need(isSigned, "key is not in the key set");
  return head;
}

// Proofs: that a statement was published.

const PROOF = {
  name: TEXT,
  statement: TEXT,
  leafHash: HASH,
  index: isCount,
  size: isCount,
  path: isList,
  contentRoot: HASH,
  revisionLeaf: TEXT,
  log: isObject,
};
const LOGGED = { origin: TEXT, index: isCount, size: isCount, path: isList, checkpoint: TEXT };
const LEAF = {
  revision: HASH, contentRoot: HASH, statements: isCount, publishedAt: isInstant, interface: HASH,
};

async function checkProof(proof, keys) {
  agree(proof, PROOF);
  const { log } = proof;
  agree(log, LOGGED, "log.");
  const head = await checkNote(log.checkpoint, keys);
  need(log.origin === head.origin, "wrong log.origin");
  need(log.size === head.size, "wrong log.size");
  const leaf = readLeaf(proof.revisionLeaf);
  const logged = await leafHash(proof.revisionLeaf);
  let found = await climb(logged, log.index, log.size, readPath(log.path));
  need(found === head.digest, "revisionLeaf is not in the log");
  need(leaf.contentRoot === proof.contentRoot, "wrong contentRoot");
  need(leaf.statements === proof.size, "wrong size");
  const said = await leafHash(proof.statement);
  need(said === proof.leafHash, "wrong leafHash");
  found = await climb(said, proof.index, proof.size, readPath(proof.path));
  need(found === proof.contentRoot, "statement is not in the revision");
  const statement = parse(encode(proof.statement));
  need(canonical(statement) === proof.statement, "wrong statement");
  agree(statement, { name: proof.name, data: () => true });
  const place = `entry ${log.index} of ${head.origin}`;
  const published = `at ${leaf.publishedAt} in ${leaf.revision}, ${place}`;
  return { name: proof.name, data: statement.data, published, host: head.origin.split("/")[0] };
}
function readLeaf(text) {
  const leaf = parse(encode(text));
  need(canonical(leaf) === text, "wrong revisionLeaf");
  agree(leaf, LEAF, "revisionLeaf.", true);
  return leaf;
}

// Answers of chat: which of their sentences stand in what they cite.

const MARKS = new RegExp(`((?:[${WHITE}]*\\[[0-9]+\\])+|\\n[${WHITE}]*\\n)`);
const ENDS = ".!?:;)\"'";
const POINTER = /^(\/([^~/]|~[01])*)*$/s;
const ADDRESS = new RegExp(
  "^(?:https?://([a-z0-9.-]+|\\[::1\\])(?::[0-9]{1,5})?)?"
  + `/api/([^\\\\\\x00-\\x20\\x7f-\\x9f${WHITE}]+)$`);
const HERE = ["localhost", "127.0.0.1", "[::1]"];
const BEFORE = "(?<![\\p{L}\\p{N}_])";
const BEHIND = "(?![\\p{L}\\p{N}_])";

async function checkAnswer(answer, keys, address) {
  agree(answer, { answer: TEXT, citations: isList, proofs: isList }, "", true);
  need(answer.proofs.every((proof) => fits(proof, TEXT)), "wrong proofs");
  const [statements, hosts] = [new Map(), new Set()];
  let isTwice = false;
  for (const proof of answer.proofs) {
    const statement = await checkProof(parse(encode(proof)), keys);
    isTwice ||= statements.has(statement.name);
    statements.set(statement.name, statement);
    hosts.add(statement.host.replace(/^www\./, ""));
  }
  need(!isTwice, "wrong proofs");
  const lines = Array.from(statements.values(),
    (each) => ["ok", `${each.name} was published ${each.published}`]);
  if (address) hosts.add(URL_FORM.exec(address)[2].replace(/:[0-9]*$/, "").toLowerCase());
  const cited = new Map();
  for (const citation of answer.citations) {
    const name = readCitation(citation, hosts);
    need(!cited.has(citation.n), "wrong n");
    cited.set(citation.n, [citation, name]);
  }
  const parts = `${answer.answer}\n\n`.split(MARKS);
  for (let place = 0; place + 1 < parts.length; place += 2) {
    const [text, marks] = [plain(parts[place]), parts[place + 1]];
    if (!text) continue;
    if (!marks.includes("[")) {
      lines.push(["unproven", text]);
      continue;
    }
    const numbers = Array.from(marks.matchAll(/\[(0|[1-9][0-9]{0,8})\]/g), ([, n]) => Number(n));
    const known = numbers.filter((n) => cited.has(n)).map((n) => cited.get(n));
    const proven = known.filter(([, name]) => statements.has(name));
    lines.push(standing(text, proven.map(([each, name]) => [each, statements.get(name)])));
  }
  const covered = [...ANSWER, "citations/n", "citations/url", "citations/pointer"];
  const names = new Set(Object.keys(answer));
  for (const citation of answer.citations)
    for (const name of Object.keys(citation)) names.add(`citations/${name}`);
  const others = [...names].filter((name) => !covered.includes(name)).sort(byUtf8);
  if (others.length) lines.push(["not covered", others.join(", ")]);
  return lines;
}
function byUtf8(one, other) {
  const [a, b] = [hex(encode(one)), hex(encode(other))];
  return (a > b) - (a < b);
}
function readCitation(citation, hosts) {
  agree(citation, { n: isCount, url: TEXT }, "", true);
  need(fits(has(citation, "pointer") ? citation.pointer : "", POINTER), "wrong pointer");
  let name;
  for (const member of ["proof", "url"]) {
    const value = has(citation, member) ? citation[member] : "/api/proof";
    const match = need(typeof value === "string" && ADDRESS.exec(value), `wrong ${member}`);
    const host = match[1];
    const isBelow = [...hosts].some((own) => own && `.${host}`.endsWith(`.${own}`));
    need(host === undefined || HERE.includes(host) || isBelow, `wrong ${member}`);
    name = match[2];
  }
  return name;
}
function standing(text, cited) {
  for (const [, { name, data }] of cited)
    if (isQuoted(text, data)) return ["ok", `quoted from ${name}: ${text}`];
  for (const [citation, { name, data }] of cited) {
    const part = partOf(text, data, citation.pointer);
    if (part) return ["in part", `${text} (of ${name}: ${part})`];
  }
  return fail(`is not in what it cites: ${text}`);
}
function isQuoted(text, data) {
  for (const value of valuesIn(data)) {
    for (let start = value.indexOf(text); start >= 0; start = value.indexOf(text, start + 1)) {
      const before = value.slice(0, start).replace(/ +$/, "");
      const isEnd = start + text.length === value.length || ENDS.includes(text.at(-1));
      if ((!before || ENDS.includes(before.at(-1))) && isEnd) return true;
    }
  }
  return false;
}
function partOf(text, data, pointer) {
  for (const match of text.matchAll(/[:.!?] /g)) {
    const tail = text.slice(match.index + 2);
    if (isQuoted(tail, data)) return tail;
  }
  if (pointer === undefined) return "";
  let found = data;
  for (const part of pointer.split("/").slice(1)) { // RFC 6901
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const isMember = isList(found) ? Object.keys(found).includes(key) : has(found, key);
    found = isMember ? found[key] : null;
  }
  if (typeof found === "boolean") {
    const word = found ? "Yes" : "No";
    return new RegExp(`^${word}${BEHIND}`, "u").test(text) ? word : "";
  }
  return valuesIn(found, true).find((value) => value && holdsWord(text, value)) ?? "";
}
function holdsWord(text, value) {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`${BEFORE}${literal}${BEHIND}`, "u").test(text);
}
function valuesIn(value, lengths = false) {
  if (isList(value)) {
    const inner = value.flatMap((each) => valuesIn(each, lengths));
    return lengths ? [String(value.length), ...inner] : inner;
  }
  if (isObject(value)) return sorted(value).flatMap((name) => valuesIn(value[name], lengths));
  return ["string", "number"].includes(typeof value) ? [plain(String(value))] : [];
}
const plain = (text) => text.replace(new RegExp(`[${WHITE}]+`, "g"), " ").replace(/^ | $/g, "");

// A saved file.

async function checkFile(file, keyFile, address, read) {
  let place = keyFile ?? file;
  try {
    const keys = keyFile === undefined ? null : await readKeys(parse(read(keyFile)));
    place = file;
    const lines = await check(parse(read(file), true), keys, address);
    return lines.map(([word, text]) => [word, word === "ok" ? `${file}: ${text}` : text]);
  } catch (error) {
    return [["WRONG", `${place}: ${reason(error)}`]];
  }
}
async function check(document, keys, address) {
  const isLike = (names) => names.some((name) => has(document, name));
  if (isLike(Object.keys(ENVELOPE))) {
    await checkEnvelope(document, keys);
    const signer = `signed by ${document.publicJwk.kid} at ${document.signedAt}`;
    const trust = keys ? "from the key set" : "its own: compare the thumbprint, or give a key set";
    const lines = [`${signer}; the key is ${trust}`, `thumbprint ${document.thumbprint}`];
    return lines.map((text) => ["ok", text]);
  }
  if (isLike(ANSWER)) return checkAnswer(document, need(keys, "needs a key set"), address);
  if (isLike(Object.keys(PROOF))) {
    const proven = await checkProof(document, need(keys, "needs a key set"));
    return [["ok", `${proven.name} was published ${proven.published}`]];
  }
  return fail("is no envelope, proof or answer");
}
function reason(error) {
  if (error instanceof Wrong) return error.message;
  throw error;
}

// A service, and what was seen of it before.

const SECTIONS = `studio.identity studio.founder studio.practice studio.convictions
  studio.lookingFor studio.scheduling studio.journey studio.currentlyStudying studio.certifications
  studio.onChain projects domains engagement faq glossary`.split(/\s+/);
const SECTION = /^[A-Za-z0-9.-]{1,64}$/;
const MOST_SECTIONS = 100;
const INTERFACE = /^(operation|fragment|tool|prompt|resource|document)\//;
const READINGS = 4;

class Service {
  constructor(get, seen) {
    Object.assign(this, { get, seen, lines: [], place: "", read: new Map(), heads: null });
  }

  async run() {
    try {
      await this.checkContent();
      const log = await this.checkLog();
      this.heads = { ...log, words: await this.checkWords() };
    } catch (error) {
      this.lines.push(["WRONG", `${this.place}: ${reason(error)}`]);
    }
  }

  async hasChanged() {
    try {
      for (const path of ["/.well-known/jwks.json", "/api/manifest.sig"])
        if (this.read.has(path) && this.read.get(path) !== decode(await this.get(path, [200])))
          return true;
    } catch (error) {
      reason(error);
    }
    return false;
  }

  async bytesAt(path, statuses = [200]) {
    this.place = path;
    const data = await this.get(path, statuses);
    this.read.set(path, new TextDecoder().decode(data));
    return data;
  }

  async jsonAt(path, statuses) {
    return parse(await this.bytesAt(path, statuses));
  }

  holds(text) {
    this.lines.push(["ok", `${this.place}: ${text}`]);
  }

  async payloadAt(path, members) {
    const envelope = await this.jsonAt(path);
    const payload = await checkEnvelope(envelope, this.keys, members);
    this.holds(`signed by ${envelope.publicJwk.kid} at ${envelope.signedAt}`);
    return payload;
  }

  async checkContent() {
    this.keys = await readKeys(await this.jsonAt("/.well-known/jwks.json"));
    this.holds(`${this.keys.trusted.size} keys, ${this.keys.revoked.size / 2} revoked`);
    const manifest = await this.payloadAt("/api/manifest.sig");
    agree(manifest, { revision: HASH, studio: isObject, changelog: isList }, "", true);
    const { changelog } = manifest;
    for (const entry of changelog) agree(entry, { id: TEXT, publishedAt: isInstant }, "", true);
    this.manifest = manifest;
    this.entries = changelog.toSorted(
      ({ publishedAt: a }, { publishedAt: b }) => (a > b) - (a < b));
    const leaves = await Promise.all(this.entries.map((entry) => leafHash(canonical(entry))));
    this.logHead = { rollupHash: await treeHead(leaves), treeSize: leaves.length };
    agree(await this.jsonAt("/api/manifest"), { ...manifest, rollupHash: this.logHead.rollupHash });
    await this.payloadAt("/api/changelog.sig", { entries: changelog, ...this.logHead });
    const body = await this.jsonAt("/api/changelog");
    need(fits(body, changelog), "differs from /api/manifest");
    this.holds(`${leaves.length} entries, ${this.logHead.rollupHash}`);
    await this.checkSections();
  }

  async checkSections() {
    // a service lists them in an error, a folder of exported files in a file
    const listed = await this.jsonAt("/api/snapshot.sig", [400, 200]);
    const fields = has(listed, "fields") ? listed.fields : null;
    const first = isList(fields) ? fields[0] : null;
    const names = has(first, "allowed") ? first.allowed : null;
    const isListed = isList(names) && names.every((name) => fits(name, SECTION))
      && new Set(names).size === names.length && names.length <= MOST_SECTIONS;
    need(isListed, "does not list its sections");
    const studio = Object.entries(this.manifest.studio);
    const parts = new Map(Object.entries(this.manifest));
    for (const [name, value] of studio) parts.set(`studio.${name}`, value);
    const isOwn = ([name]) => ![...names, ...SECTIONS].includes(`studio.${name}`);
    parts.set("studio.identity", Object.fromEntries(studio.filter(isOwn)));
    for (const name of SECTIONS)
      need(names.includes(name) || isEmpty(parts.get(name)), `has no section ${name}`);
    for (const name of names) {
      const data = parts.get(name);
      const form = isEmpty(data) ? (value) => ["[]", "{}"].includes(canonical(value)) : data;
      const members = { section: name, data: form, revision: this.manifest.revision };
      await this.payloadAt(`/api/snapshot.sig?section=${name}`, { ...members, ...this.logHead });
    }
  }

  async checkLog() {
    const head = await checkNote(decode(await this.bytesAt("/api/log/checkpoint")), this.keys);
    const isHead = head.digest === this.logHead.rollupHash && head.size === this.logHead.treeSize;
    need(isHead, "is not the head of the log");
    this.holds(`${head.origin}, ${head.size} entries`);
    for (const index of head.size ? new Set([0, head.size - 1]) : []) {
      const [entry, said] = [this.entries[index], await this.jsonAt(`/api/log/proof?index=${index}`)];
      const leaf = await leafHash(canonical(entry));
      const members = { origin: head.origin, index, entry: entry.id, path: isList };
      agree(said, { ...members, leafHash: leaf, ...this.logHead });
      const found = await climb(leaf, index, head.size, readPath(said.path));
      need(found === head.digest, "wrong path");
      this.holds("the entry is in the log");
    }
    if (this.seen) await this.checkHistory(knownHead(this.seen), head);
    return asSeen(head);
  }

  async checkHistory(old, now) {
    if (old.origin !== now.origin) return this.checkRestart(old);
    this.place = "/api/log/checkpoint";
    need(now.size >= old.size, `the log had ${old.size} entries and has fewer now`);
    return this.checkGrowth("/api/log/consistency", old, now, "entries");
  }

  async checkGrowth(path, old, now, leaves) {
    if (old.size === now.size) {
      const other = `the log of size ${old.size} has another head than the last check saw`;
      need(old.digest === now.digest, other);
      this.holds(`the log still has the size seen before, ${old.size}, and the same head`);
      return;
    }
    if (old.size) {
      const said = await this.jsonAt(`${path}?from=${old.size}`);
      agree(said, { path: isList }, "", true);
      const isProven = await hasGrown(old, now, readPath(said.path));
      need(isProven, `the log no longer begins with the ${leaves} seen by the last check`);
    }
    this.holds(`the log still begins with what was seen before, ${old.size} ${leaves}`);
  }

  async checkRestart(old) {
    const log = await this.jsonAt("/api/log");
    agree(log, { former: isList }, "", true);
    const ended = log.former.find((each) => has(each, "origin") && each.origin === old.origin);
    const gone = `the log ${old.origin} was seen by the last check and is not published now`;
    need(ended, gone);
    agree(ended, { treeSize: isCount, rollupHash: HASH, checkpoint: TEXT }, "", true);
    need(ended.treeSize >= old.size, gone);
    const [note] = readNote(ended.checkpoint);
    const head = { origin: old.origin, size: ended.treeSize, digest: ended.rollupHash };
    need(isSameHead(note, head), `the checkpoint of ${old.origin} has another head`);
    const isSame = head.size > old.size || isSameHead(head, old);
    need(isSame, `the log ${old.origin} ended with another head than the last check saw`);
    this.holds(`${old.origin} has ended; a new log has begun`);
  }

  async checkWords() {
    const log = await this.jsonAt("/api/words");
    const forms = { origin: TEXT, treeSize: isCount, rollupHash: HASH, contentRoot: HASH };
    agree(log, { ...forms, revisionLeaf: TEXT, statements: isList }, "", true);
    for (const statement of log.statements) agree(statement, { name: TEXT, leafHash: HASH });
    const statements = new Map(log.statements.map((each) => [each.name, each.leafHash]));
    const names = log.statements.map((each) => each.name);
    const isSorted = names.every((name, place) => !place || byUtf8(names[place - 1], name) < 0);
    need(isSorted, "its statements are not sorted by name");
    const ofInterface = names.filter((name) => INTERFACE.test(name));
    const [leaf, { revision }] = [readLeaf(log.revisionLeaf), this.manifest];
    const head = await treeHead([...statements.values()]);
    const digest = await treeHead(ofInterface.map((name) => statements.get(name)));
    const isSaid = leaf.revision === revision && leaf.contentRoot === head
      && leaf.interface === digest && leaf.statements === names.length && log.contentRoot === head;
    need(isSaid, "its statements are not those of the revision's leaf");
    this.holds(`${names.length} statements, revision ${revision}`);
    const now = await checkNote(decode(await this.bytesAt("/api/words/checkpoint")), this.keys);
    const listed = { origin: log.origin, size: log.treeSize, digest: log.rollupHash };
    need(isSameHead(now, listed), "differs from /api/words");
    this.holds(`${now.origin}, size ${now.size}`);
    for (const name of names.slice(0, 1)) {
      const said = await this.jsonAt(`/api/proof?name=${encodeURIComponent(name)}`);
      await checkProof(said, this.keys);
      const isSame = said.revisionLeaf === log.revisionLeaf && said.name === name
        && said.leafHash === statements.get(name);
      need(isSame, "differs from /api/words");
      this.holds("the statement is in the revision, and the revision in the log");
    }
    if (this.seen?.words) await this.checkHistoryOfWords(this.seen.words, now, statements);
    return { ...asSeen(now), revision, statements: Object.fromEntries(statements) };
  }

  async checkHistoryOfWords(seen, now, statements) {
    const [old, before] = [knownHead(seen), new Map(Object.entries(seen.statements))];
    this.place = "/api/words";
    const connected = `the log ${old.origin} was seen by the last check; now ${now.origin} is there`;
    need(old.origin === now.origin, `${connected}, and nothing connects the two`);
    this.place = "/api/words/checkpoint";
    need(now.size >= old.size, `the log had size ${old.size} and has size ${now.size} now`);
    await this.checkGrowth("/api/words/consistency", old, now, "revisions");
    this.place = "/api/words";
    for (const name of [...new Set([...before.keys(), ...statements.keys()])].sort(byUtf8)) {
      if (before.get(name) === statements.get(name)) continue;
      const how = !before.has(name) ? "added" : statements.has(name) ? "changed" : "removed";
      this.holds(`${name} was ${how} between ${seen.revision} and ${this.manifest.revision}`);
    }
  }
}
const asSeen = ({ origin, size, digest }) => ({ origin, size, head: digest });
const knownHead = ({ origin, size, head }) => ({ origin, size, digest: head });

async function checkService(address, memory) {
  const base = address.replace(/\/+$/, "");
  let [lines, known, file] = [[], {}, memory];
  try {
    known = file ? readMemory(file) : {};
  } catch (error) {
    if (error instanceof Wrong) {
      const said = "was not written by a verifier, so the history is not checked. Fix: remove it.";
      [lines, file] = [[["unproven", `${file} ${said}`]], null];
    } else lines = [["note", `${file} cannot be read, so nothing is compared with it.`]];
  }
  const [get, seen] = [getting(base), has(known, base) ? known[base] : null];
  let service = new Service(get, seen);
  await service.run();
  for (let reading = 1; reading < READINGS; reading += 1) {
    if (service.heads || !(await service.hasChanged())) break;
    service = new Service(get, seen);
    await service.run();
  }
  if (file && service.heads) {
    try {
      writeMemory(file, { ...known, [base]: service.heads });
    } catch {
      const said = "cannot be written, so the next check cannot notice a rewritten history.";
      lines = [["note", `${file} ${said}`]];
    }
  }
  return [...lines, ...service.lines];
}

const SEEN = { origin: TEXT, size: isCount, head: HASH };
const OF_WORDS = { ...SEEN, revision: HASH, statements: isObject };

function readMemory(file) {
  if (!fs.existsSync(file)) return {};
  const known = parse(fs.readFileSync(file));
  need(isObject(known), "is no object");
  for (const seen of Object.values(known)) {
    agree(seen, SEEN, "", true);
    if (has(seen, "words") && seen.words !== null) agree(seen.words, OF_WORDS);
  }
  return known;
}
function writeMemory(file, known) {
  fs.mkdirSync(paths.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.new`, canonical(known));
  fs.renameSync(`${file}.new`, file);
}

// Reading a service over HTTP.

const URL_FORM = /^(https?):\/\/([^/?#@\s]+)((?:\/[^?#\s]*)?)$/;
const NO_RESPONSE =
  "no response. Fix: start the service, and look at the name, the port and TLS";
const MOST_BYTES = 2 ** 26;
const [SILENCE_SECONDS, RESPONSE_SECONDS] = [10, 60];

const getting = (base) => async (path, statuses) => {
  const [stop, chunks, until] = [new AbortController(), [], Date.now() + RESPONSE_SECONDS * 1000];
  let timer;
  const patience = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), SILENCE_SECONDS * 1000);
  };
  const headers = { Accept: "*/*", "Accept-Encoding": "identity" };
  const options = { headers, redirect: "manual", cache: "no-store", signal: stop.signal };
  try {
    patience();
    const response = await fetch(base + path, options).catch(() => fail(NO_RESPONSE));
    const { status, body } = response;
    need(statuses.includes(status), `status ${status} instead of ${statuses.join(" or ")}`);
    const isEncoded = globalThis.process && response.headers.get("content-encoding");
    need(!isEncoded, "has a content encoding"); // a browser accepts them, whatever it is told
    const reader = body?.getReader();
    for (let size = 0; reader;) {
      const { done, value } = await reader.read().catch(() => fail(NO_RESPONSE));
      if (done) break;
      patience();
      chunks.push(value);
      size += value.length;
      need(size <= MOST_BYTES, `more than ${MOST_BYTES / 2 ** 20} MiB`);
      need(Date.now() < until, NO_RESPONSE);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
};

// The command line.

const USAGE = `usage: verify.mjs URL [--seen FILE]
       verify.mjs FILE [KEY_SET_FILE] [--address URL]`;
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

async function verify(target, keys, { seen, address }) {
  if (URL_FORM.test(target)) return keys || address ? null : checkService(target, seen);
  const isFile = (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile();
  const files = keys === undefined ? [target] : [target, keys];
  const isWrong = seen || (address && !URL_FORM.test(address));
  if (isWrong || !files.every(isFile)) return null;
  return checkFile(target, keys, address, fs.readFileSync);
}
function exitCode(lines) {
  const words = lines.map(([word]) => word);
  if (words.includes("WRONG")) return 1;
  return words.includes("in part") || words.includes("unproven") ? 3 : 0;
}
const shown = ([word, text]) => `${word.padEnd(5)}  ${text}`.replace(UNSEEN, "\ufffd");

export const verifyService = async (address) => (await checkService(address)).map(shown);

export async function main(words) {
  const [options, places, rest] = [{}, [], [...words]];
  while (rest.length) {
    const word = rest.shift();
    if (["--seen", "--address"].includes(word)) options[word.slice(2)] = rest.shift() ?? "";
    else places.push(word);
  }
  const isCall = [1, 2].includes(places.length) && Object.values(options).every(Boolean);
  const lines = isCall ? await verify(places[0], places[1], options) : null;
  if (lines === null) {
    console.error(USAGE);
    return 2;
  }
  for (const line of lines) console.log(shown(line));
  return exitCode(lines);
}

const [script, ...words] = globalThis.process?.argv?.slice(1) ?? []; // empty in a browser
const modules = ["node:fs", "node:path", "node:url"].map((name) => globalThis.process && import(name));
const [fs, paths, urls] = await Promise.all(modules);
const isMain = (file) => fs.realpathSync(file) === urls.fileURLToPath(import.meta.url);
if (script && fs.existsSync(script) && isMain(script)) process.exitCode = await main(words);
