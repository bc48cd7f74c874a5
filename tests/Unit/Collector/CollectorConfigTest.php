<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Support\InvalidConfig;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use stdClass;

/**
 * Each key of the collector with values that a user may have written there.
 */
final class CollectorConfigTest extends TestCase
{
    private const KEYS = [
        '' => [
            'listen', 'admin', 'workers', 'flushers', 'bucket', 'descriptors', 'high_water', 'handlers', 'limits',
            'timeouts', 'recycle', 'intake',
        ],
        'limits' => ['request_line_bytes', 'header_bytes', 'headers', 'body_bytes', 'unfinished_bytes'],
        'timeouts' => ['header', 'body_idle', 'keep_alive', 'write', 'handler', 'drain', 'drain_idle'],
        'recycle' => ['requests', 'memory', 'seconds'],
        'intake' => [
            'auth', 'source', 'bucket', 'dead_bucket', 'types', 'schemas', 'origins', 'pixel', 'webhooks',
            'signature_tolerance', 'max_event_bytes', 'max_batch_bytes', 'max_batch_events', 'max_depth', 'max_errors',
        ],
    ];

    /** @return iterable<string, array{string, string}> */
    public static function keys(): iterable
    {
        foreach (self::KEYS as $section => $keys) {
            foreach ($keys as $key) {
                yield trim("{$section}.{$key}", '.') => [$section, $key];
            }
        }
    }

    #[Test]
    #[DataProvider('keys')]
    public function a_wrong_value_is_named_with_its_key(string $section, string $key): void
    {
        $refused = 0;

        foreach ([
            "a\0b",
            "a\nb",
            -1,
            1.5,
            NAN,
            new stdClass,
            [new stdClass],
            ['a' => ['b' => 'c']],
            ['a'],
            PHP_INT_MIN,
            str_repeat('x', 5_000),
        ] as $value) {
            try {
                self::read($section, $key, $value);
            } catch (InvalidConfig $e) {
                $refused++;
                self::assertStringContainsString($key, $e->getMessage());
                self::assertStringNotContainsString("\0", $e->getMessage());
            }
        }

        self::assertGreaterThanOrEqual(8, $refused);
    }

    #[Test]
    public function a_key_that_is_none_is_named_wherever_it_is(): void
    {
        foreach (array_keys(self::KEYS) as $section) {
            try {
                self::read($section, 'tiemout', 1);
                self::fail("{$section} takes anything.");
            } catch (InvalidConfig $e) {
                self::assertStringContainsString('tiemout', $e->getMessage());
            }
        }
    }

    private static function read(string $section, string $key, mixed $value): void
    {
        $config = CollectorConfig::fromArray($section === '' ? [$key => $value] : [$section => [$key => $value]]);
        IngestSettings::fromOptions($config->intake());
    }
}
