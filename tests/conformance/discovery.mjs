// What registries and crawlers read, by other people's judges: `make conformance`.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { parse } from "yaml";
// Lighthouse's port of the conformance tester of ARD, whose own is in no package.
import { ConformanceTester } from "lighthouse/third-party/ard/ard.js";
import { get as fetched, judge, program, root, serve } from "./served.mjs";

const here = import.meta.dirname;
const reasons = JSON.parse(readFileSync(`${here}/not_applicable.json`, "utf8"))["ard warnings"];
const LD = "application/ld+json";

const { check, finish } = judge("discovery");
const { address, env, stop } = await serve();
const get = (path, headers = {}) => fetched(new URL(path, address), headers);
const ajv = formats(new Ajv2020());
const schema = (name) => ajv.compile(JSON.parse(readFileSync(`${root}/tests/vectors/${name}`, "utf8")));

async function ard(path) {
  const tester = new ConformanceTester();
  const text = await (await get(path)).text();
  const held = tester.validate_manifest(text, path);
  check(`${path} passes ARD's conformance tester`, held, JSON.stringify(tester.errors));
  for (const { element, message } of tester.warnings) {
    const why = Object.entries(reasons).find(([said]) => message.startsWith(said))?.[1];
    if (why) console.log(`n/a  ${path}: ${element}: ${message.split(" is not")[0]}: ${why}`);
    else check(`${path}: no warning about ${element}`, false, message);
  }
}

async function advertised() {
  const robots = await (await get("/robots.txt")).text();
  const map = robots.match(/^Agentmap: (.+)$/m)?.[1];
  check("robots.txt names the manifest", (await fetched(map)).status === 200, map);
  const link = (await get("/")).headers.get("link");
  for (const rel of ["ard", "ai-catalog"]) {
    const target = link.match(new RegExp(`<([^>]+)>; rel="${rel}"`))?.[1];
    check(`the Link header names it as ${rel}`, (await get(target)).status === 200, link);
  }
}

async function skills() {
  const index = await (await get("/.well-known/agent-skills/index.json")).json();
  const valid = schema("agent-skills-0.2.0.schema.json");
  check("the index of agent skills keeps its schema", valid(index), JSON.stringify(valid.errors));
  for (const { name, description, url, digest } of index.skills) {
    const text = await (await fetched(url)).text();
    const made = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    check(`${name}: its digest is that of the file`, made === digest, made);
    const head = parse(text.split("---\n")[1]);
    const same = head.name === name && head.description === description;
    check(`${name}: its YAML head says the same`, same, JSON.stringify(head));
  }
}

function registry() {
  const words = ["registry", "--make-key"];
  const done = spawnSync(program, words, { cwd: root, env, encoding: "utf8" });
  const valid = schema("mcp-server-2025-12-11.schema.json");
  const held = done.status === 0 && valid(JSON.parse(done.stdout));
  check("server.json keeps the MCP registry's schema", held, done.stderr || valid.errors);
}

// Each answer as a TypeScript value of schema.org's types, which tsc then checks.
async function jsonLd() {
  const { paths } = await (await get("/openapi.json")).json();
  const catalog = await (await get("/.well-known/api-catalog")).json();
  const listed = catalog.linkset.flatMap(({ item }) => item ?? []).map(({ href }) => new URL(href));
  const announced = Object.entries(paths)
    .filter(([, { get: read }]) => read?.responses?.["200"]?.content?.[LD])
    .map(([path]) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`));
  const found = new Set(listed.map(({ pathname }) => pathname.replace(/\.(md|json)$/, "")));
  const asked = [...found].filter((path) => announced.some((one) => one.test(path)));
  if (announced.length === 0) return console.log(`n/a  JSON-LD: nothing is announced as ${LD}`);
  check("every announced kind of JSON-LD has an address", asked.length >= announced.length, asked);
  const folder = `${here}/generated`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [number, path] of asked.entries()) {
    const response = await get(path, { accept: LD });
    check(`${path} is ${LD}`, response.headers.get("content-type") === LD);
    const value = JSON.stringify(await response.json());
    const type = value.includes('"@graph"') ? "Graph" : "WithContext<Thing>";
    const source = `import type { Graph, Thing, WithContext } from "schema-dts";
export type Used = [Graph, WithContext<Thing>];
export const value: ${type} = ${value};
`;
    writeFileSync(`${folder}/answer${number}.ts`, source);
  }
  const files = asked.map((_, number) => `${folder}/answer${number}.ts`);
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext"];
  const given = [...flags, "--moduleResolution", "bundler", ...files];
  const done = spawnSync(`${here}/node_modules/.bin/tsc`, given, { encoding: "utf8" });
  for (const [number, path] of asked.entries()) {
    const faults = done.stdout.split("\n").filter((said) => said.includes(`answer${number}.ts(`));
    const held = faults.length === 0 && done.error === undefined;
    check(`${path} is of schema.org's types`, held, faults.join("\n").slice(0, 2000));
  }
  rmSync(folder, { recursive: true, force: true });
}

try {
  await ard("/.well-known/ard.json");
  await ard("/.well-known/ai-catalog.json");
  await advertised();
  await skills();
  registry();
  await jsonLd();
} finally {
  await stop();
}
finish();
