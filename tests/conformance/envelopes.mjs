// Signed envelopes in other people's JavaScript, against the real server: `make conformance`.
import { spawnSync } from "node:child_process";
import { webcrypto } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import canonicalize from "canonicalize";
import { calculateJwkThumbprint, createLocalJWKSet, importJWK } from "jose";
import { get, judge, program, root, serve } from "./served.mjs";

const NOTICED_SECONDS = 120;
const SECTIONS = [
  ...["studio.identity", "studio.founder", "studio.practice", "studio.convictions"],
  ...["studio.lookingFor", "studio.scheduling", "studio.journey", "studio.currentlyStudying"],
  ...["studio.certifications", "studio.onChain"],
  ...["projects", "domains", "engagement", "faq", "glossary"],
];
const PATHS = [
  "/api/manifest.sig",
  "/api/changelog.sig",
  ...SECTIONS.map((section) => `/api/snapshot.sig?section=${section}`),
];

const { check, finish } = judge("envelopes");
const { address, env, stop } = await serve();
const keys = (...words) => spawnSync(program, ["keys", ...words], { cwd: root, env }).status;
const read = async (path) => (await get(address + path)).json();
const keySet = () => read("/.well-known/jwks.json");

const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64url"));
const signed = (value) => new TextEncoder().encode(canonicalize(value));
const good = (key, envelope, payload = envelope.payload) =>
  webcrypto.subtle.verify("Ed25519", key, bytes(envelope.signature), signed(payload));

// By the key set alone: jose picks the key, WebCrypto checks. What jose refuses is told by its code.
async function refusal(envelope, jwks) {
  const { kid, alg } = envelope.publicJwk;
  try {
    return (await good(await createLocalJWKSet(jwks)({ alg, kid }), envelope)) ? null : "signature";
  } catch (error) {
    return error.code;
  }
}

async function until(name, holds) {
  const deadline = Date.now() + NOTICED_SECONDS * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) return check(name, false, "not in time");
    await pause(100);
  }
  check(name, true);
}

try {
  const jwks = await keySet();
  for (const path of PATHS) {
    const envelope = await read(path);
    const own = await importJWK(envelope.publicJwk);
    const plain = await webcrypto.subtle.importKey("jwk", envelope.publicJwk, "Ed25519", true, [
      "verify",
    ]);
    check(`${path} verifies with jose's key set`, (await refusal(envelope, jwks)) === null);
    check(`${path} verifies with jose's key`, await good(own, envelope));
    check(`${path} verifies with WebCrypto's key`, await good(plain, envelope));
    const print = await calculateJwkThumbprint(envelope.publicJwk);
    check(`${path} has jose's thumbprint`, envelope.thumbprint === print, print);
    const changed = Array.isArray(envelope.payload.data)
      ? { ...envelope.payload, data: envelope.payload.data.slice(1) }
      : { ...envelope.payload, more: true };
    check(`${path} does not verify when its payload is another`, !(await good(own, envelope, changed)));
  }

  const saved = await read("/api/manifest.sig");
  const { kid } = saved.publicJwk;
  check("a key is rotated", keys("rotate", "--now") === 0);
  let fresh = saved;
  await until("another key signs", async () => {
    fresh = await read("/api/manifest.sig");
    return fresh.publicJwk.kid !== kid;
  });
  const rotated = await keySet();
  check("what the new key signs verifies", (await refusal(fresh, rotated)) === null);
  check("what the old key signed verifies still", (await refusal(saved, rotated)) === null);
  check("a key set of yesterday does not know the new key", (await refusal(fresh, jwks)) !== null);

  check("a key is revoked", keys("revoke", kid) === 0);
  let revoked = rotated;
  await until("the key has left the key set", async () => {
    revoked = await keySet();
    return revoked.keys.every((key) => key.kid !== kid);
  });
  const [named] = revoked.revoked;
  check("the revoked key is named", named?.kid === kid && named.thumbprint === saved.thumbprint);
  const said = await refusal(saved, revoked);
  check("what it signed is refused by jose", said === "ERR_JWKS_NO_MATCHING_KEY", said);
  check("what the other key signed verifies", (await refusal(fresh, revoked)) === null);
  const again = await read("/api/manifest.sig");
  check("nothing is signed with it any more", again.publicJwk.kid === fresh.publicJwk.kid);
} finally {
  await stop();
}
finish();
