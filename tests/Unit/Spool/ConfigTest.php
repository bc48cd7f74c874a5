<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Spool\Durability;
use Headroom\Spool\OverflowPolicy;
use Headroom\Spool\RateLimit;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Utf8;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ConfigTest extends TestCase
{
    #[Test]
    public function everything_but_the_path_has_a_default_at_each_level(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/buffer/',
            'buckets' => ['api-events' => ['sink' => 'database', 'table' => 't']],
        ]);

        self::assertSame('/buffer', $config->path);
        self::assertSame([0700, 0600], [$config->directoryMode(), $config->fileMode()]);
        self::assertSame(
            [33_554_432, 3600, true, false],
            [$config->segmentBytes(), $config->retention(), $config->schedule(), $config->allowNetworkFilesystem()],
        );

        $bucket = $config->bucket('api-events');
        self::assertNotNull($bucket);
        self::assertSame(
            ['api-events', 'database', 1000, Utf8::Replace, ['table']],
            [$bucket->name, $bucket->sink, $bucket->batch, $bucket->utf8, $bucket->options->keys()],
        );
        self::assertSame([OverflowPolicy::Direct, null], [$bucket->overflow, $bucket->maxBytes]);
        self::assertNull($config->maxBytes('api-events'));
        self::assertSame(67_108_864, $config->minFreeBytes());
        self::assertNull($config->bucket('other'));
        self::assertSame([], SpoolConfig::fromArray(['path' => '/b'])->names());
    }

    #[Test]
    public function texts_of_environment_variables_are_understood(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'dir_mode' => '2770',
            'file_mode' => '0660',
            'segment_bytes' => '65536',
            'retention' => '60',
            'schedule' => '0',
            'allow_network_filesystem' => '1',
            'min_free_bytes' => '0',
            'buckets' => ['a' => ['sink' => 'file', 'batch' => '5', 'max_bytes' => '65536', 'overflow' => 'drop']],
        ]);

        self::assertSame([02770, 0660], [$config->directoryMode(), $config->fileMode()]);
        self::assertSame(
            [65_536, 60, false, true],
            [$config->segmentBytes(), $config->retention(), $config->schedule(), $config->allowNetworkFilesystem()],
        );
        self::assertSame(5, $config->bucket('a')?->batch);
        self::assertSame(
            [0, 65_536, 65_536, OverflowPolicy::Drop],
            [
                $config->minFreeBytes(),
                $config->bucket('a')->maxBytes,
                $config->maxBytes('a'),
                $config->bucket('a')->overflow,
            ],
        );
        self::assertSame([], $config->bucket('a')->options->keys(), 'They are none of the sink\'s.');
    }

    #[Test]
    public function only_a_bucket_that_asks_for_it_is_put_on_disk_by_requests(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'buckets' => array_map(
            static fn (?string $level): array => ['sink' => 'file', 'durability' => $level],
            ['none' => null, 'process' => 'process', 'interval' => 'interval', 'power' => 'power'],
        )]);

        self::assertSame(
            [false, false, false, false, true],
            array_map($config->settings()->isPower(...), ['undeclared', 'none', 'process', 'interval', 'power']),
        );
        self::assertSame(
            [Durability::Process, Durability::Process, Durability::Interval, Durability::Power],
            array_map(
                static fn (string $name): ?Durability => $config->bucket($name)?->durability,
                ['none', 'process', 'interval', 'power'],
            ),
        );
        self::assertSame(
            $config->bucket('none')?->sinkFingerprint(),
            $config->bucket('power')?->sinkFingerprint(),
            'It is none of the sink\'s settings.',
        );
    }

    #[Test]
    public function rate_limit_and_tries_are_none_of_the_sinks_settings(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'buckets' => [
            'a' => ['sink' => 'handler', 'tries' => '5', 'rate_limit' => ['max' => '100', 'every' => '60']],
            'b' => ['sink' => 'handler', 'rate_limit' => null, 'tries' => null],
        ]]);

        [$a, $b] = [$config->bucket('a'), $config->bucket('b')];

        self::assertEquals(new RateLimit(100, 60), $a?->rateLimit);
        self::assertSame([5, null, null], [$a?->tries, $b?->rateLimit, $b?->tries]);
        self::assertSame($a?->sinkFingerprint(), $b?->sinkFingerprint());
    }

    #[Test]
    public function a_bucket_is_where_it_says_or_where_all_are(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'store' => 'redis',
            'buckets' => ['a' => ['store' => 'file'], 'b' => ['sink' => 'file'], 'c' => 'wrong'],
        ]);

        self::assertSame([false, true, true, true], array_map($config->isOnRedis(...), ['a', 'b', 'c', 'undeclared']));
        self::assertFalse(SpoolConfig::fromArray(['path' => '/b'])->isOnRedis('a'));
    }

    #[Test]
    public function a_bucket_may_be_named_by_a_number(): void
    {
        self::assertSame(
            ['2024'],
            SpoolConfig::fromArray(['path' => '/b', 'buckets' => ['2024' => ['sink' => 'file']]])->names(),
        );
    }

    #[Test]
    public function a_request_reads_max_bytes_without_the_rest_of_its_bucket(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'buckets' => ['a' => ['max_bytes' => 100_000], 'b' => ['sink' => 'file'], 'c' => 'wrong'],
        ]);

        self::assertSame(
            [100_000, null, null, null],
            [$config->maxBytes('a'), $config->maxBytes('b'), $config->maxBytes('c'), $config->maxBytes('d')],
        );
    }

    #[Test]
    public function an_empty_text_as_phpunit_makes_of_false_turns_the_buffer_off(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'enabled' => '',
            'buckets' => ['a' => ['sink' => 'memory'], 'b' => []],
        ]);
        $config->check();

        self::assertFalse($config->enabled());
        self::assertSame(
            [true, false, false],
            [
                $config->settings()->isBypassed('a'),
                $config->settings()->isBypassed('b'),
                $config->settings()->isPlain('a'),
            ],
        );
    }

    #[Test]
    #[TestWith([['table' => 'a', 'connection' => 'b'], ['connection' => 'b', 'table' => 'a'], true])]
    #[TestWith([['table' => 'a'], ['table' => 'b'], false])]
    #[TestWith([['path' => '/a', 'rotate' => '64M', 'gzip' => true, 'keep' => 5], ['path' => '/a'], true])]
    public function the_fingerprint_of_a_sink_depends_on_its_settings_and_not_on_their_order(
        mixed $one,
        mixed $other,
        bool $same,
    ): void {
        $print = static fn (mixed $options): ?string => SpoolConfig::fromArray([
            'path' => '/b',
            'buckets' => ['a' => ['sink' => 'database', ...(array) $options]],
        ])
            ->bucket('a')
            ?->sinkFingerprint();

        self::assertSame($same, $print($one) === $print($other));
    }
}
