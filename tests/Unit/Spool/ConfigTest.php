<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Spool\Durability;
use Headroom\Spool\OnFailure;
use Headroom\Spool\Rate;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Utf8;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ConfigTest extends TestCase
{
    #[Test]
    public function everything_but_the_path_has_a_default_at_each_level(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/buffer/', 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 't']]]);

        self::assertSame('/buffer', $config->path);
        self::assertSame([0700, 0600], [$config->directoryMode(), $config->fileMode()]);
        self::assertSame([33_554_432, 3600, true, false], [$config->segmentBytes(), $config->completedTtl(), $config->schedule(), $config->allowNetworkFilesystem()]);

        $bucket = $config->bucket('api-events');
        self::assertNotNull($bucket);
        self::assertSame(['api-events', 'database', 1000, Utf8::Replace, ['table']], [$bucket->name, $bucket->sink, $bucket->batch, $bucket->utf8, $bucket->options->keys()]);
        self::assertSame([OnFailure::Direct, null, null], [$bucket->onFailure, $bucket->quota, $config->quota('api-events')]);
        self::assertSame(67_108_864, $config->reserve());
        self::assertNull($config->bucket('other'));
        self::assertSame([], SpoolConfig::fromArray(['path' => '/b'])->names());
    }

    #[Test]
    public function what_an_environment_variable_holds_is_understood(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'dir_mode' => '2770',
            'file_mode' => '0660',
            'segment_bytes' => '65536',
            'completed_ttl' => '60',
            'schedule' => '0',
            'allow_network_filesystem' => '1',
            'reserve' => '0',
            'buckets' => ['a' => ['sink' => 'file', 'batch' => '5', 'quota' => '65536', 'on_failure' => 'drop']],
        ]);

        self::assertSame([02770, 0660], [$config->directoryMode(), $config->fileMode()]);
        self::assertSame([65_536, 60, false, true], [$config->segmentBytes(), $config->completedTtl(), $config->schedule(), $config->allowNetworkFilesystem()]);
        self::assertSame(5, $config->bucket('a')?->batch);
        self::assertSame([0, 65_536, 65_536, OnFailure::Drop], [$config->reserve(), $config->bucket('a')->quota, $config->quota('a'), $config->bucket('a')->onFailure]);
        self::assertSame([], $config->bucket('a')->options->keys(), 'They are none of the sink\'s.');
    }

    #[Test]
    public function only_a_bucket_that_asks_for_it_is_put_on_disk_by_requests(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'buckets' => array_map(
            static fn (?string $level): array => ['sink' => 'file', 'durability' => $level],
            ['none' => null, 'process' => 'process', 'interval' => 'interval', 'power' => 'power'],
        )]);

        self::assertSame([false, false, false, false, true], array_map($config->settings()->isPower(...), ['undeclared', 'none', 'process', 'interval', 'power']));
        self::assertSame([Durability::Process, Durability::Process, Durability::Interval, Durability::Power], array_map(static fn (string $name): ?Durability => $config->bucket($name)?->durability, ['none', 'process', 'interval', 'power']));
        self::assertSame($config->bucket('none')?->sinkFingerprint(), $config->bucket('power')?->sinkFingerprint(), 'It is none of the sink\'s settings.');
    }

    #[Test]
    public function rate_and_tries_are_none_of_the_sinks_settings(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'buckets' => [
            'a' => ['sink' => 'call', 'handler' => 'H', 'rate' => ['100', 'per' => '60'], 'tries' => '5'],
            'b' => ['sink' => 'call', 'handler' => 'H', 'rate' => null, 'tries' => null],
        ]]);

        [$a, $b] = [$config->bucket('a'), $config->bucket('b')];

        self::assertEquals(new Rate(100, 60), $a?->rate);
        self::assertSame([5, null, null], [$a?->tries, $b?->rate, $b?->tries]);
        self::assertSame($a?->sinkFingerprint(), $b?->sinkFingerprint());
    }

    #[Test]
    public function a_bucket_is_where_it_says_or_where_all_are(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'store' => 'redis', 'buckets' => ['a' => ['store' => 'file'], 'b' => ['sink' => 'file'], 'c' => 'wrong']]);

        self::assertSame([false, true, true, true], array_map($config->isOnRedis(...), ['a', 'b', 'c', 'undeclared']));
        self::assertFalse(SpoolConfig::fromArray(['path' => '/b'])->isOnRedis('a'));
    }

    #[Test]
    public function a_bucket_may_be_named_by_a_number(): void
    {
        self::assertSame(['2024'], SpoolConfig::fromArray(['path' => '/b', 'buckets' => ['2024' => ['sink' => 'file']]])->names());
    }

    #[Test]
    public function a_request_reads_a_quota_without_the_rest_of_its_bucket(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'buckets' => ['a' => ['quota' => 100_000], 'b' => ['sink' => 'file'], 'c' => 'wrong']]);

        self::assertSame([100_000, null, null, null], [$config->quota('a'), $config->quota('b'), $config->quota('c'), $config->quota('d')]);
    }

    /** @param array<string, mixed> $config */
    #[Test]
    #[DataProvider('wrong')]
    public function what_is_wrong_is_named_with_what_was_seen_and_what_is_allowed(array $config, string $key, string $message): void
    {
        try {
            $read = SpoolConfig::fromArray($config + ['path' => '/b']);
            $read->check();
            $read->buckets();
            self::fail('It was accepted.');
        } catch (InvalidConfig $e) {
            self::assertSame([$key, $message], [$e->key, $e->getMessage()]);
        }
    }

    #[Test]
    public function what_phpunit_makes_of_an_environment_variable_that_is_false_turns_the_buffer_off(): void
    {
        $config = SpoolConfig::fromArray(['path' => '/b', 'enabled' => '', 'buckets' => ['a' => ['sink' => 'memory'], 'b' => []]]);
        $config->check();

        self::assertFalse($config->enabled());
        self::assertSame([true, false, false], [$config->settings()->isBypassed('a'), $config->settings()->isBypassed('b'), $config->settings()->isPlain('a')]);
    }

    /** @return iterable<string, array{array<string, mixed>, string, string}> */
    public static function wrong(): iterable
    {
        $known = 'path, dir_mode, file_mode, segment_bytes, completed_ttl, schedule, allow_network_filesystem, reserve, enabled, heartbeats, autoflush, store, redis, buckets';
        $dir = 'an octal mode from 0700 to 03777 that gives the owner 0700, such as 0700 (PHP reads a number without the leading 0 as decimal)';
        $file = 'an octal mode from 0600 to 0666 that gives the owner 0600, such as 0600 (PHP reads a number without the leading 0 as decimal)';
        $name = "named with 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit";

        yield 'no path' => [['path' => null], 'spool.path', 'Config spool.path is missing. It must be a non-empty string.'];
        yield 'empty path' => [['path' => ''], 'spool.path', "Config spool.path is ''. It must be a non-empty string."];
        yield 'path of a wrong type' => [['path' => ['/b']], 'spool.path', 'Config spool.path is array. It must be a non-empty string.'];
        yield 'relative path' => [['path' => 'storage/b'], 'spool.path', "Config spool.path is 'storage/b'. It must be an absolute path."];
        yield 'unknown key' => [['bucket' => []], 'spool.bucket', "Config spool.bucket is not a known setting. Known here: {$known}."];
        yield 'decimal directory mode' => [['dir_mode' => 770], 'spool.dir_mode', "Config spool.dir_mode is '01402'. It must be {$dir}."];
        yield 'decimal directory mode with SGID' => [['dir_mode' => 2770], 'spool.dir_mode', "Config spool.dir_mode is '05322'. It must be {$dir}."];
        yield 'owner kept out' => [['dir_mode' => 0070], 'spool.dir_mode', "Config spool.dir_mode is '070'. It must be {$dir}."];
        yield 'mode in letters' => [['dir_mode' => 'rwx'], 'spool.dir_mode', "Config spool.dir_mode is 'rwx'. It must be {$dir}."];
        yield 'decimal file mode' => [['file_mode' => 660], 'spool.file_mode', "Config spool.file_mode is '01224'. It must be {$file}."];
        yield 'executable files' => [['file_mode' => 0700], 'spool.file_mode', "Config spool.file_mode is '0700'. It must be {$file}."];
        yield 'small segments' => [['segment_bytes' => 1], 'spool.segment_bytes', 'Config spool.segment_bytes is 1. It must be a whole number from 65536 to 1073741824.'];
        yield 'fractional time' => [['completed_ttl' => 1.5], 'spool.completed_ttl', 'Config spool.completed_ttl is 1.5. It must be a whole number from 0 to 31536000.'];
        yield 'negative time' => [['completed_ttl' => '-1'], 'spool.completed_ttl', 'Config spool.completed_ttl is -1. It must be a whole number from 0 to 31536000.'];
        yield 'schedule in words' => [['schedule' => 'hourly'], 'spool.schedule', "Config spool.schedule is 'hourly'. It must be true or false."];
        yield 'buckets no array' => [['buckets' => 'a'], 'spool.buckets', "Config spool.buckets is 'a'. It must be an array."];
        yield 'two mistakes, of which the first is told' => [['buckets' => 'a', 'dirmode' => 0700], 'spool.dirmode', "Config spool.dirmode is not a known setting. Known here: {$known}."];
        yield 'buckets as a list' => [['buckets' => ['api-events']], 'spool.buckets.0', "Config spool.buckets.0 is 'api-events'. It must be an array."];
        yield 'bucket name' => [['buckets' => ['../x' => []]], 'spool.buckets.../x', "Config spool.buckets.../x is '../x'. It must be {$name}."];
        yield 'no sink' => [['buckets' => ['a' => ['table' => 'x']]], 'spool.buckets.a.table', 'Config spool.buckets.a.table is not a known setting. Known here: sink, batch, utf8, on_failure, quota, durability, rate, tries, sample, redact, schedule, store.'];
        yield 'batch too large' => [['buckets' => ['a' => ['sink' => 'file', 'batch' => 65_536]]], 'spool.buckets.a.batch', 'Config spool.buckets.a.batch is 65536. It must be a whole number from 1 to 65535.'];
        yield 'a store that is none' => [['store' => 'Redis'], 'spool.store', "Config spool.store is 'Redis'. It must be one of file, redis."];
        yield "a bucket's store that is none" => [['buckets' => ['a' => ['sink' => 'file', 'store' => 'disk']]], 'spool.buckets.a.store', "Config spool.buckets.a.store is 'disk'. It must be one of file, redis."];
        yield 'a setting of redis that is none' => [['redis' => ['host' => 'x']], 'spool.redis.host', 'Config spool.redis.host is not a known setting. Known here: connection, wait, wait_ms, takeover.'];
        yield 'a takeover at once' => [['redis' => ['takeover' => 0]], 'spool.redis.takeover', 'Config spool.redis.takeover is 0. It must be a whole number from 1 to 3600.'];
        yield 'reserve in words' => [['reserve' => '64M'], 'spool.reserve', "Config spool.reserve is '64M'. It must be a whole number from 0 to 1125899906842624."];
        yield 'small quota' => [['buckets' => ['a' => ['sink' => 'file', 'quota' => 65_535]]], 'spool.buckets.a.quota', 'Config spool.buckets.a.quota is 65535. It must be a whole number from 65536 to 1125899906842624.'];
        yield 'unknown policy' => [['buckets' => ['a' => ['sink' => 'file', 'on_failure' => 'ignore']]], 'spool.buckets.a.on_failure', "Config spool.buckets.a.on_failure is 'ignore'. It must be one of direct, throw, drop."];
        yield 'unknown utf8' => [['buckets' => ['a' => ['sink' => 'file', 'utf8' => 'drop']]], 'spool.buckets.a.utf8', "Config spool.buckets.a.utf8 is 'drop'. It must be one of replace, refuse, binary."];
        yield 'unknown durability' => [['buckets' => ['a' => ['sink' => 'file', 'durability' => 'disk']]], 'spool.buckets.a.durability', "Config spool.buckets.a.durability is 'disk'. It must be one of process, interval, power."];
        yield 'rate without its time' => [['buckets' => ['a' => ['sink' => 'file', 'rate' => [100]]]], 'spool.buckets.a.rate.per', 'Config spool.buckets.a.rate.per is missing. It must be a whole number from 1 to 86400.'];
        yield 'rate of nothing' => [['buckets' => ['a' => ['sink' => 'file', 'rate' => [0, 'per' => 60]]]], 'spool.buckets.a.rate.0', 'Config spool.buckets.a.rate.0 is 0. It must be a whole number from 1 to 1000000.'];
        yield 'rate of a number only' => [['buckets' => ['a' => ['sink' => 'file', 'rate' => 100]]], 'spool.buckets.a.rate', "Config spool.buckets.a.rate is 100. It must be an array such as [100, 'per' => 60]: at most so many events in so many seconds."];
        yield 'rate with another key' => [['buckets' => ['a' => ['sink' => 'file', 'rate' => [100, 'seconds' => 60]]]], 'spool.buckets.a.rate.seconds', 'Config spool.buckets.a.rate.seconds is not a known setting. Known here: 0, per.'];
        yield 'no tries' => [['buckets' => ['a' => ['sink' => 'file', 'tries' => 0]]], 'spool.buckets.a.tries', 'Config spool.buckets.a.tries is 0. It must be a whole number from 1 to 65535.'];
        yield 'durability of a wrong type' => [['buckets' => ['a' => ['sink' => 'file', 'durability' => true]]], 'spool.buckets.a.durability', 'Config spool.buckets.a.durability is true. It must be one of process, interval, power.'];
    }

    #[Test]
    #[TestWith([['table' => 'a', 'connection' => 'b'], ['connection' => 'b', 'table' => 'a'], true])]
    #[TestWith([['table' => 'a'], ['table' => 'b'], false])]
    #[TestWith([['path' => '/a', 'rotate' => '64M', 'gzip' => true, 'keep' => 5], ['path' => '/a'], true])]
    public function the_fingerprint_of_a_sink_depends_on_its_settings_and_not_on_their_order(mixed $one, mixed $other, bool $same): void
    {
        $print = static fn (mixed $options): ?string => SpoolConfig::fromArray(['path' => '/b', 'buckets' => ['a' => ['sink' => 'database', ...(array) $options]]])->bucket('a')?->sinkFingerprint();

        self::assertSame($same, $print($one) === $print($other));
    }
}
