// Other people's clients and audits against the real server: `make conformance`.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { cacheExchange, Client, fetchExchange } from "@urql/core";
import { buildClientSchema, getIntrospectionQuery, parse } from "graphql";
import { serverAudits } from "graphql-http";
import { gql, GraphQLClient } from "graphql-request";
import { judge, serve } from "./served.mjs";

const REASONS = JSON.parse(readFileSync(new URL("not_applicable.json", import.meta.url), "utf8"));
const BY_DESIGN = REASONS["graphql over HTTP"];

const WALK = `query Walk($slug: Slug!) {
  project(slug: $slug) { name status domains { name projects { slug } } }
  journey { headline evidenceItems { __typename ... on Project { slug } ... on Artifact { type } } }
}`;

const { check, finish } = judge("conformance");
const { address, stop } = await serve();
const url = `${address}/api/graphql`;

try {
  for (const audit of serverAudits({ url, fetchFn: fetch })) {
    const result = await audit.fn();
    const priced = audit.id in BY_DESIGN && result.status === "warn";
    const held = result.status === "ok" || priced;
    check(`${audit.id} ${audit.name}${priced ? ` (not held: ${BY_DESIGN[audit.id]})` : ""}`, held, result.reason);
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

  const sha256 = (text) => createHash("sha256").update(text).digest("hex");
  for (const useGETForHashedQueries of [true, false]) {
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries });
    const apollo = new ApolloClient({ link: link.concat(new HttpLink({ uri: url })), cache: new InMemoryCache() });
    const found = await apollo.query({ query: parse(WALK), variables: { slug: "fathom" } }).catch((error) => error);
    const how = useGETForHashedQueries ? "GET" : "POST";
    check(`Apollo falls back from persisted queries by ${how}`, found.data?.project.name === "Fathom", found);
  }
} finally {
  await stop();
}
finish();
