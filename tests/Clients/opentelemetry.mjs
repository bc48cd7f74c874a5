// Emits log records through the SDK's batch processor, and says whether the exporter was content.

import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';

const Exporter = process.env.PROTOCOL === 'protobuf' ? ProtobufExporter : JsonExporter;
const exporter = new Exporter({
    url: `${process.env.EVENTS_URL}/v1/logs`,
    headers: { authorization: `Bearer ${process.env.EVENTS_KEY}` },
    compression: process.env.COMPRESSION ?? 'none',
    timeoutMillis: 60_000,
});
const results = [];
const send = exporter.export.bind(exporter);
exporter.export = (records, done) => send(records, (result) => {
    results.push({ code: result.code, error: result.error?.message ?? null });
    done(result);
});

const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'service.name': 'checkout', 'service.version': '1.2.3' }),
    processors: [new BatchLogRecordProcessor({ exporter, maxExportBatchSize: 10, exportTimeoutMillis: 60_000 })],
});
const logger = provider.getLogger('cart', '7', {});
const count = Number(process.env.RECORDS ?? 25);

for (let number = 0; number < count; number++) {
    logger.emit({
        eventName: 'cart.emptied',
        timestamp: new Date(Date.UTC(2026, 6, 14, 3, 33, number)),
        severityNumber: SeverityNumber.WARN,
        severityText: 'WARN',
        body: `Grüße ${number}`,
        attributes: { number, share: 0.5, sure: true, tags: ['a', 'b'], nested: { deep: { n: 1 } } },
    });
}

await provider.shutdown();
console.log(JSON.stringify(results));
