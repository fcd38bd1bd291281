// The sample studio behind other people's GraphQL servers: node server.mjs KIND PORT FOLDER
//
// FOLDER holds `schema.graphql` and `root.json`, the values of the root's fields as plain objects,
// so no server pays for resolvers.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { makeExecutableSchema } from '@graphql-tools/schema'

const [kind, port, folder] = process.argv.slice(2)
const root = JSON.parse(readFileSync(`${folder}/root.json`, 'utf8'))
const schema = makeExecutableSchema({
  typeDefs: readFileSync(`${folder}/schema.graphql`, 'utf8'),
  resolvers: {
    Query: Object.fromEntries(Object.entries(root).map(([name, value]) => [name, () => value])),
  },
  resolverValidationOptions: { requireResolversForResolveType: 'ignore' },
})
const at = { port: Number(port), host: '127.0.0.1' }

const servers = {
  async yoga() {
    const { createYoga } = await import('graphql-yoga')
    const yoga = createYoga({ schema, graphqlEndpoint: '/', landingPage: false, logging: false })
    createServer(yoga).listen(at)
  },
  async apollo() {
    const { ApolloServer } = await import('@apollo/server')
    const { startStandaloneServer } = await import('@apollo/server/standalone')
    await startStandaloneServer(new ApolloServer({ schema }), { listen: at })
  },
  async mercurius() {
    const { default: fastify } = await import('fastify')
    const { default: mercurius } = await import('mercurius')
    const app = fastify()
    app.register(mercurius, { schema, jit: 1, path: '/' })
    await app.listen(at)
  },
}
await servers[kind]()
