// Other people's clients and audits against the real server: `make conformance`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { generate } from "@graphql-codegen/cli";
import { cacheExchange, Client, fetchExchange } from "@urql/core";
import { buildClientSchema, getIntrospectionQuery } from "graphql";
import { serverAudits } from "graphql-http";
import { gql, GraphQLClient } from "graphql-request";

// These SHOULDs ask for 200 where the specification of this service says 400.
const PRICE_OF_400 = new Set(["572B", "FDE2", "7B9B"]);

const WALK = `query Walk($slug: Slug!) {
  project(slug: $slug) { name status domains { name projects { slug } } }
  journey { headline evidenceItems { __typename ... on Project { slug } ... on Artifact { type } } }
}`;

process.chdir(import.meta.dirname); // where graphql-codegen looks for its plugins
const failures = [];
const check = (name, passed, detail = "") => {
  if (!passed) failures.push(name);
  console.log(`${passed ? "ok  " : "FAIL"} ${name}${passed ? "" : ` ${detail}`}`);
};

const root = new URL("../..", import.meta.url).pathname;
const server = spawn(`${root}/.venv/bin/studiograph`, ["serve"], {
  cwd: root,
  env: { ...process.env, STUDIOGRAPH_PORT: "0" },
  stdio: ["ignore", "pipe", "inherit"],
});
const lines = createInterface({ input: server.stdout });
const [line] = await once(lines, "line");
const url = `${line.match(/http:\/\/[^;]+/)[0]}/api/graphql`;

try {
  for (const audit of serverAudits({ url, fetchFn: fetch })) {
    const result = await audit.fn();
    const priced = PRICE_OF_400.has(audit.id) && result.status === "warn";
    const held = result.status === "ok" || priced;
    check(`${audit.id} ${audit.name}${priced ? " (not held, by design)" : ""}`, held, result.reason);
  }

  const client = new GraphQLClient(url);
  const told = await client.request(getIntrospectionQuery());
  check("graphql-js builds the schema it is told", buildClientSchema(told).getType("Project"));
  const walked = await client.request(gql`${WALK}`, { slug: "tidebook" });
  check("graphql-request walks the graph", walked.project.domains.length === 2);
  const refused = await client.request(gql`{ nothing }`).catch((error) => error);
  check("graphql-request is told what is wrong", refused.response?.status === 400);

  for (const preferGetMethod of [true, false]) {
    const urql = new Client({ url, preferGetMethod, exchanges: [cacheExchange, fetchExchange] });
    const found = await urql.query(WALK, { slug: "fathom" }).toPromise();
    const how = preferGetMethod ? "GET" : "POST";
    check(`urql walks the graph by ${how}`, found.data?.project.name === "Fathom", found.error);
  }

  const folder = `${import.meta.dirname}/generated`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(`${folder}/walk.graphql`, WALK);
  await generate({
    schema: url,
    documents: `${folder}/walk.graphql`,
    silent: true,
    generates: {
      [`${folder}/types.ts`]: { plugins: ["typescript"] },
      [`${folder}/operations.ts`]: { plugins: ["typescript-operations"] },
    },
  });
  const uses = `import type { WalkQuery } from "./operations";
import type { Project } from "./types";
export const title = (project: Project): string => project.name;
export const names = (walk: WalkQuery): string[] => walk.journey.map((step) => step.headline);
`;
  writeFileSync(`${folder}/uses.ts`, uses);
  const tsc = `${import.meta.dirname}/node_modules/.bin/tsc`;
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext"];
  const words = [...options, "--moduleResolution", "bundler", `${folder}/uses.ts`];
  const compiled = spawnSync(tsc, words);
  const said = compiled.stdout.toString();
  check("graphql-codegen writes types that tsc accepts", compiled.status === 0, said);
  rmSync(folder, { recursive: true, force: true });
} finally {
  server.kill("SIGTERM");
}
console.log(failures.length === 0 ? "conformance: all held" : `conformance: ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
