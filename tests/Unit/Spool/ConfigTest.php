<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Durability;
use Headroom\Spool\OverflowPolicy;
use Headroom\Spool\RateLimit;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Utf8;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
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

    /**
     * @param array<string, mixed> $config
     * @param list<string> $allowed
     */
    #[Test]
    #[DataProvider('wrong')]
    public function a_wrong_setting_is_named_with_its_value_and_the_allowed_ones(
        array $config,
        InvalidConfig $expected,
        array $allowed,
    ): void {
        try {
            $read = SpoolConfig::fromArray($config + ['path' => '/b']);
            $read->check();
            $read->buckets();
            self::fail('It was accepted.');
        } catch (InvalidConfig $e) {
            Sentence::naming($allowed, $expected, $e);
        }
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
    #[TestWith(['reserve', 0, 'min_free_bytes'])]
    #[TestWith(['completed_ttl', 60, 'retention'])]
    public function an_old_key_of_the_buffer_is_refused_with_its_new_name(string $old, int $value, string $new): void
    {
        $this->expectExceptionMessage("Config spool.{$old} is {$value}. It was renamed to {$new}.");

        AppendConfig::fromArray(['path' => '/b', $old => $value]);
    }

    #[Test]
    #[TestWith(['quota', 65_536, '65536', 'max_bytes'])]
    #[TestWith(['on_failure', 'drop', "'drop'", 'overflow'])]
    #[TestWith(['rate', [100, 'per' => 60], 'array', "rate_limit, an array such as ['max' => 100, 'every' => 60]"])]
    #[TestWith(['sink', 'call', "'call'", "'handler'"])]
    public function an_old_key_of_a_bucket_is_refused_with_its_new_name(
        string $old,
        mixed $value,
        string $seen,
        string $new,
    ): void {
        $config = SpoolConfig::fromArray(['path' => '/b', 'buckets' => ['a' => [$old => $value, 'handler' => 'H']]]);
        $this->expectExceptionMessage("Config spool.buckets.a.{$old} is {$seen}. It was renamed to {$new}.");

        $config->bucket('a');
    }

    #[Test]
    public function a_request_does_not_take_a_limit_under_its_old_name_for_none(): void
    {
        $settings = AppendConfig::fromArray(['path' => '/b', 'buckets' => ['a' => ['quota' => 65_536]]]);
        $this->expectExceptionMessage('It was renamed to max_bytes.');

        $settings->maxBytes('a');
    }

    /** @return iterable<string, array{array<string, mixed>, InvalidConfig, list<string>}> */
    public static function wrong(): iterable
    {
        $known = array_keys(AppendConfig::KEYS);

        yield 'no path' => [['path' => null], InvalidConfig::missing('spool.path', Sentence::ANY), []];
        yield 'empty path' => [['path' => ''], InvalidConfig::notAllowed('spool.path', '', Sentence::ANY), []];
        yield 'path of a wrong type' => [
            ['path' => ['/b']],
            InvalidConfig::notAllowed('spool.path', [], Sentence::ANY),
            [],
        ];
        yield 'relative path' => [
            ['path' => 'storage/b'],
            InvalidConfig::notAllowed('spool.path', 'storage/b', Sentence::ANY),
            [],
        ];
        yield 'unknown key' => [['bucket' => []], InvalidConfig::unknownKey('spool.bucket', $known), []];
        yield 'decimal directory mode' => [
            ['dir_mode' => 770],
            InvalidConfig::notAllowed('spool.dir_mode', '01402', Sentence::ANY),
            ['0700', '03777'],
        ];
        yield 'decimal directory mode with SGID' => [
            ['dir_mode' => 2770],
            InvalidConfig::notAllowed('spool.dir_mode', '05322', Sentence::ANY),
            ['0700', '03777'],
        ];
        yield 'owner kept out' => [
            ['dir_mode' => 0070],
            InvalidConfig::notAllowed('spool.dir_mode', '070', Sentence::ANY),
            ['0700', '03777'],
        ];
        yield 'mode in letters' => [
            ['dir_mode' => 'rwx'],
            InvalidConfig::notAllowed('spool.dir_mode', 'rwx', Sentence::ANY),
            ['0700', '03777'],
        ];
        yield 'decimal file mode' => [
            ['file_mode' => 660],
            InvalidConfig::notAllowed('spool.file_mode', '01224', Sentence::ANY),
            ['0600', '0666'],
        ];
        yield 'executable files' => [
            ['file_mode' => 0700],
            InvalidConfig::notAllowed('spool.file_mode', '0700', Sentence::ANY),
            ['0600', '0666'],
        ];
        yield 'small segments' => [
            ['segment_bytes' => 1],
            InvalidConfig::notAllowed('spool.segment_bytes', 1, Sentence::ANY),
            ['65536', '1073741824'],
        ];
        yield 'fractional time' => [
            ['retention' => 1.5],
            InvalidConfig::notAllowed('spool.retention', 1.5, Sentence::ANY),
            ['0', '31536000'],
        ];
        yield 'negative time' => [
            ['retention' => '-1'],
            InvalidConfig::notAllowed('spool.retention', -1, Sentence::ANY),
            ['0', '31536000'],
        ];
        yield 'schedule in words' => [
            ['schedule' => 'hourly'],
            InvalidConfig::notAllowed('spool.schedule', 'hourly', Sentence::ANY),
            [],
        ];
        yield 'buckets no array' => [
            ['buckets' => 'a'],
            InvalidConfig::notAllowed('spool.buckets', 'a', Sentence::ANY),
            [],
        ];
        yield 'two mistakes, of which the first is told' => [
            ['buckets' => 'a', 'dirmode' => 0700],
            InvalidConfig::unknownKey('spool.dirmode', $known),
            [],
        ];
        yield 'buckets as a list' => [
            ['buckets' => ['api-events']],
            InvalidConfig::notAllowed('spool.buckets.0', 'api-events', Sentence::ANY),
            [],
        ];
        yield 'bucket name' => [
            ['buckets' => ['../x' => []]],
            InvalidConfig::notAllowed('spool.buckets.../x', '../x', Sentence::ANY),
            ['64', 'a-z'],
        ];
        yield 'no sink' => [
            ['buckets' => ['a' => ['table' => 'x']]],
            InvalidConfig::unknownKey('spool.buckets.a.table', array_keys(BucketConfig::KEYS)),
            [],
        ];
        yield 'batch too large' => [
            ['buckets' => ['a' => ['sink' => 'file', 'batch' => 65_536]]],
            InvalidConfig::notAllowed('spool.buckets.a.batch', 65536, Sentence::ANY),
            ['1', '65535'],
        ];
        yield 'a store that is none' => [
            ['store' => 'Redis'],
            InvalidConfig::notAllowed('spool.store', 'Redis', Sentence::ANY),
            ['file', 'redis'],
        ];
        yield "a bucket's store that is none" => [
            ['buckets' => ['a' => ['sink' => 'file', 'store' => 'disk']]],
            InvalidConfig::notAllowed('spool.buckets.a.store', 'disk', Sentence::ANY),
            ['file', 'redis'],
        ];
        yield 'a setting of redis that is none' => [
            ['redis' => ['host' => 'x']],
            InvalidConfig::unknownKey('spool.redis.host', ['connection', 'wait', 'wait_ms', 'takeover']),
            [],
        ];
        yield 'a takeover at once' => [
            ['redis' => ['takeover' => 0]],
            InvalidConfig::notAllowed('spool.redis.takeover', 0, Sentence::ANY),
            ['1', '3600'],
        ];
        yield 'free bytes in words' => [
            ['min_free_bytes' => '64M'],
            InvalidConfig::notAllowed('spool.min_free_bytes', '64M', Sentence::ANY),
            ['0', '1125899906842624'],
        ];
        yield 'few bytes for a bucket' => [
            ['buckets' => ['a' => ['sink' => 'file', 'max_bytes' => 65_535]]],
            InvalidConfig::notAllowed('spool.buckets.a.max_bytes', 65535, Sentence::ANY),
            ['65536', '1125899906842624'],
        ];
        yield 'unknown policy' => [
            ['buckets' => ['a' => ['sink' => 'file', 'overflow' => 'ignore']]],
            InvalidConfig::notAllowed('spool.buckets.a.overflow', 'ignore', Sentence::ANY),
            ['direct', 'throw', 'drop'],
        ];
        yield 'unknown utf8' => [
            ['buckets' => ['a' => ['sink' => 'file', 'utf8' => 'drop']]],
            InvalidConfig::notAllowed('spool.buckets.a.utf8', 'drop', Sentence::ANY),
            ['replace', 'refuse', 'binary'],
        ];
        yield 'unknown durability' => [
            ['buckets' => ['a' => ['sink' => 'file', 'durability' => 'disk']]],
            InvalidConfig::notAllowed('spool.buckets.a.durability', 'disk', Sentence::ANY),
            ['process', 'interval', 'power'],
        ];
        yield 'a rate without its time' => [
            ['buckets' => ['a' => ['sink' => 'file', 'rate_limit' => ['max' => 100]]]],
            InvalidConfig::missing('spool.buckets.a.rate_limit.every', Sentence::ANY),
            ['1', '86400'],
        ];
        yield 'a rate of nothing' => [
            ['buckets' => ['a' => ['sink' => 'file', 'rate_limit' => ['max' => 0, 'every' => 60]]]],
            InvalidConfig::notAllowed('spool.buckets.a.rate_limit.max', 0, Sentence::ANY),
            ['1', '1000000'],
        ];
        yield 'a rate of a number only' => [
            ['buckets' => ['a' => ['sink' => 'file', 'rate_limit' => 100]]],
            InvalidConfig::notAllowed('spool.buckets.a.rate_limit', 100, Sentence::ANY),
            ['100', '60'],
        ];
        yield 'a rate with another key' => [
            ['buckets' => ['a' => ['sink' => 'file', 'rate_limit' => ['max' => 100, 'seconds' => 60]]]],
            InvalidConfig::unknownKey('spool.buckets.a.rate_limit.seconds', ['max', 'every']),
            [],
        ];
        yield 'no tries' => [
            ['buckets' => ['a' => ['sink' => 'file', 'tries' => 0]]],
            InvalidConfig::notAllowed('spool.buckets.a.tries', 0, Sentence::ANY),
            ['1', '65535'],
        ];
        yield 'durability of a wrong type' => [
            ['buckets' => ['a' => ['sink' => 'file', 'durability' => true]]],
            InvalidConfig::notAllowed('spool.buckets.a.durability', true, Sentence::ANY),
            ['process', 'interval', 'power'],
        ];
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
