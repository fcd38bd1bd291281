// The same bodies, but for nulls, by SOFA, which makes REST of GraphQL: node rest.mjs PORT FOLDER
//
// FOLDER holds one JSON file for each path, named by the path with `/` as `_`. The schema is
// derived from the bodies, and its resolvers return them from memory.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { useSofa } from 'sofa-api'

const [port, folder] = process.argv.slice(2)
const bodies = Object.fromEntries(
  readdirSync(folder).map((name) => [name, JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))]),
)
const types = []

function typeOf(values, name) {
  const found = values.filter((value) => value != null)
  if (Array.isArray(found[0])) return `[${typeOf(found.flat(), name)}]`
  if (typeof found[0] === 'boolean') return 'Boolean'
  if (typeof found[0] === 'number') return found.every(Number.isInteger) ? 'Int' : 'Float'
  if (typeof found[0] !== 'object') return 'String'
  const keys = [...new Set(found.flatMap(Object.keys))]
  const fields = keys.map((key) => `${key}: ${typeOf(found.map((v) => v[key]), `${name}_${key}`)}`)
  types.push(`type ${name} { ${fields.join('\n')} }`)
  return name
}

const names = Object.keys(bodies)
const root = names.map((name) => `${name}: ${typeOf([bodies[name]], `T${name}`)}`)
const schema = makeExecutableSchema({
  typeDefs: [...types, `type Query { ${root.join('\n')} }`],
  resolvers: { Query: Object.fromEntries(names.map((name) => [name, () => bodies[name]])) },
})
const routes = names.map((name) => [`Query.${name}`, { path: name.replaceAll('_', '/') }])
const sofa = useSofa({ schema, basePath: '/', routes: Object.fromEntries(routes) })
createServer(sofa).listen(Number(port), '127.0.0.1')
