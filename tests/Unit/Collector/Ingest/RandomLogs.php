<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Opentelemetry\Proto\Collector\Logs\V1\ExportLogsServiceRequest;
use Opentelemetry\Proto\Common\V1\AnyValue;
use Opentelemetry\Proto\Common\V1\ArrayValue;
use Opentelemetry\Proto\Common\V1\KeyValue;
use Opentelemetry\Proto\Common\V1\KeyValueList;
use Opentelemetry\Proto\Logs\V1\LogRecord;
use Opentelemetry\Proto\Logs\V1\ResourceLogs;
use Opentelemetry\Proto\Logs\V1\ScopeLogs;
use Random\Randomizer;

/**
 * Requests with log records, made by chance with Google's library.
 */
final readonly class RandomLogs
{
    /** Which of the setters in record() sets the body. */
    private const BODY = 4;

    public static function request(Randomizer $random): ExportLogsServiceRequest
    {
        $logs = [];

        for ($i = $random->getInt(0, 2); $i >= 0; $i--) {
            $records = array_map(
                static fn (): LogRecord => self::record($random),
                array_fill(0, $random->getInt(0, 3), 0),
            );
            $scope = new ScopeLogs(['log_records' => $records, 'schema_url' => 'https://example.org']);
            $one = new ResourceLogs(['scope_logs' => [$scope]]);
            $resource = new \Opentelemetry\Proto\Resource\V1\Resource;
            $resource->setAttributes([new KeyValue([
                'key' => 'service.name',
                'value' => new AnyValue(['string_value' => 'shop']),
            ])]);
            $one->setResource($resource);
            $logs[] = $one;
        }

        return new ExportLogsServiceRequest(['resource_logs' => $logs]);
    }

    public static function record(Randomizer $random, bool $hasBody = true): LogRecord
    {
        $nanos = $random->getInt(1, 4_000_000_000) * 1_000_000_000;
        $record = new LogRecord;
        $set = [
            static fn (): LogRecord => $record->setTimeUnixNano($nanos),
            static fn (): LogRecord => $record->setObservedTimeUnixNano($nanos),
            static fn (): LogRecord => $record->setSeverityNumber($random->getInt(0, 24)),
            static fn (): LogRecord => $record->setSeverityText('Größe'),
            static fn (): LogRecord => $record->setBody(self::value($random, 3)),
            static fn (): LogRecord
                => $record->setAttributes([new KeyValue(['key' => 'k', 'value' => self::value($random, 2)])]),
            static fn (): LogRecord => $record->setDroppedAttributesCount($random->getInt(0, 0xFFFFFFFF)),
            static fn (): LogRecord => $record->setFlags($random->getInt(0, 0x7FFFFFFF)),
            static fn (): LogRecord => $record->setTraceId($random->getBytes(16)),
            static fn (): LogRecord => $record->setSpanId($random->getBytes(8)),
            static fn (): LogRecord => $record->setEventName('signed.up'),
        ];

        foreach ($set as $number => $one) {
            $isBody = $number === self::BODY;

            if ($random->getInt(0, 1) === 1 && ($hasBody || ! $isBody)) {
                $one();
            }
        }

        return $record;
    }

    private static function value(Randomizer $random, int $depth): AnyValue
    {
        $value = new AnyValue;

        match ($random->getInt(0, $depth > 0 ? 7 : 5)) {
            0 => null,
            1 => $value->setStringValue($random->getInt(0, 1) === 1 ? '' : "a\"\u{1F600}\n"),
            2 => $value->setBoolValue($random->getInt(0, 1) === 1),
            3 => $value->setIntValue($random->getInt(PHP_INT_MIN, PHP_INT_MAX)),
            4 => $value->setDoubleValue([0.0, 1.0, -2.5, 1e300, NAN, INF, -INF][$random->getInt(0, 6)]),
            5 => $value->setBytesValue($random->getBytes(5)),
            6 => $value->setArrayValue(new ArrayValue(['values' => [
                self::value($random, $depth - 1), self::value($random, $depth - 1),
            ]])),
            default => $value->setKvlistValue(new KeyValueList(['values' => [new KeyValue([
                'key' => 'x',
                'value' => self::value($random, $depth - 1),
            ])]])),
        };

        return $value;
    }
}
