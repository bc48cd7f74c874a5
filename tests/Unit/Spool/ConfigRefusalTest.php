<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * A setting that is refused is named with its value and what is allowed.
 */
final class ConfigRefusalTest extends TestCase
{
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
}
