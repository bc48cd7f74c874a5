<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Closure;
use Opentelemetry\Proto\Collector\Logs\V1\ExportLogsServiceRequest;
use Opentelemetry\Proto\Common\V1\AnyValue;
use Opentelemetry\Proto\Common\V1\KeyValue;
use Opentelemetry\Proto\Logs\V1\LogRecord;

/**
 * Log records as Google's library has read them, in the JSON of OTLP.
 */
final readonly class DescribedLogs
{
    public static function json(ExportLogsServiceRequest $request): string
    {
        $logs = [];

        foreach ($request->getResourceLogs() as $one) {
            $scopes = [];

            foreach ($one->getScopeLogs() as $scope) {
                $scopes[] = ['logRecords' => array_map(
                    static fn (array $record): object => (object) $record,
                    self::listed($scope->getLogRecords(), self::told(...)),
                )];
            }

            $attributes = self::listed($one->getResource()?->getAttributes() ?? [], self::pair(...));
            $logs[] = ['resource' => ['attributes' => $attributes], 'scopeLogs' => $scopes];
        }

        return json_encode(['resourceLogs' => $logs], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    /**
     * A record as the library has read it, in the JSON of OTLP.
     *
     * @return array<string, mixed>
     */
    public static function told(LogRecord $record): array
    {
        $set = array_filter([
            'timeUnixNano' => sprintf('%u', $record->getTimeUnixNano()),
            'severityNumber' => $record->getSeverityNumber(),
            'severityText' => $record->getSeverityText(),
            'attributes' => self::listed($record->getAttributes(), self::pair(...)),
            'droppedAttributesCount' => $record->getDroppedAttributesCount() & 0xFFFFFFFF,
            'flags' => $record->getFlags() & 0xFFFFFFFF,
            'traceId' => bin2hex($record->getTraceId()),
            'spanId' => bin2hex($record->getSpanId()),
            'observedTimeUnixNano' => sprintf('%u', $record->getObservedTimeUnixNano()),
            'eventName' => $record->getEventName(),
        ], static fn (mixed $value): bool => ! in_array($value, ['0', '', 0, []], true));
        $body = $record->getBody();

        return $body === null ? $set : [...$set, 'body' => self::anyOf($body)];
    }

    /** @return array<string, mixed> */
    private static function pair(KeyValue $pair): array
    {
        $value = $pair->getValue();
        $key = $pair->getKey() === '' ? [] : ['key' => $pair->getKey()];

        return $value === null ? $key : [...$key, 'value' => self::anyOf($value)];
    }

    /** @return array<string, mixed>|object an object where it is empty: json_encode() would make it a list */
    private static function anyOf(AnyValue $value): array|object
    {
        $double = $value->getDoubleValue();

        return match (true) {
            $value->hasStringValue() => ['stringValue' => $value->getStringValue()],
            $value->hasBoolValue() => ['boolValue' => $value->getBoolValue()],
            $value->hasIntValue() => ['intValue' => (string) $value->getIntValue()],
            $value->hasDoubleValue() => [
                'doubleValue' => is_finite($double)
                    ? $double
                    : (is_nan($double) ? 'NaN' : ($double > 0 ? 'Infinity' : '-Infinity')),
            ],
            $value->hasArrayValue() => ['arrayValue' => self::values(self::listed(
                $value->getArrayValue()?->getValues() ?? [],
                self::anyOf(...),
            ))],
            $value->hasKvlistValue() => ['kvlistValue' => self::values(self::listed(
                $value->getKvlistValue()?->getValues() ?? [],
                self::pair(...),
            ))],
            $value->hasBytesValue() => ['bytesValue' => base64_encode($value->getBytesValue())],
            default => (object) [],
        };
    }

    /**
     * @param list<mixed> $values
     * @return array<string, mixed>|object
     */
    private static function values(array $values): array|object
    {
        return $values === [] ? (object) [] : ['values' => $values];
    }

    /**
     * @template T
     * @template R
     * @param iterable<T> $items
     * @param Closure(T): R $of
     * @return list<R>
     */
    private static function listed(iterable $items, Closure $of): array
    {
        $list = [];

        foreach ($items as $item) {
            $list[] = $of($item);
        }

        return $list;
    }
}
