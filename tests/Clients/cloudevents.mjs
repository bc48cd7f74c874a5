// Sends events in each mode that the SDK has, and a batch; prints what it has sent, as JSON by mode.

import { CloudEvent, HTTP, Mode, emitterFor, httpTransport } from 'cloudevents';

const url = `${process.env.EVENTS_URL}/v1/events`;
const headers = { authorization: `Bearer ${process.env.EVENTS_KEY}` };
const make = (mode, more = {}) => new CloudEvent({
    type: `order.${mode}`,
    source: '/shop/%C3%A9',
    // Node takes no other characters in a header, and the SDK does not encode them.
    subject: mode === Mode.BINARY ? 'order/1' : `Grüße ${mode} 🎉`,
    time: '2026-07-14T03:33:20.123Z',
    dataschema: 'https://example.com/order.json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data: { total: 19.99, none: null, list: [], object: {}, words: 'Grüße "und" \\ 🎉', deep: [{ a: [1, 2] }] },
    ...more,
});
const sent = {};

for (const mode of [Mode.BINARY, Mode.STRUCTURED]) {
    sent[mode] = make(mode);
    await emitterFor(httpTransport(url), { mode })(sent[mode], { headers });
}

// Bytes: structured mode has them as base64.
sent.bytes = make('bytes', { data: undefined, data_base64: Buffer.from([0, 255, 128]).toString('base64'), datacontenttype: 'application/octet-stream' });
await emitterFor(httpTransport(url), { mode: Mode.STRUCTURED })(sent.bytes, { headers });

const batch = ['first', 'second', 'third'].map((name) => make(name));
const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/cloudevents-batch+json' }, body: JSON.stringify(batch) });
Object.assign(sent, Object.fromEntries(batch.map((event) => [event.type.slice(6), event])));

// The SDK would send again exactly what it reads back from its own messages.
console.log(JSON.stringify({ sent, answer: await answer.json(), isEvent: HTTP.isEvent(HTTP.structured(sent.binary)) }));
