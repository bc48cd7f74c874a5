<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketConfig;
use Headroom\Support\InvalidConfig;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Drawn configurations: the reader of a request and the reader of a command take and refuse the same settings, and read
 * the same values.
 */
final class ConfigReadersTest extends TestCase
{
    private const ROUNDS = 4000;

    private Randomizer $random;

    private int $refused = 0;

    protected function setUp(): void
    {
        $seed = getenv('HEADROOM_SEED');
        $this->random = new Randomizer(new Mt19937(is_string($seed) && $seed !== '' ? (int) $seed : 20261127));
    }

    #[Test]
    public function both_readers_agree_on_the_settings_of_a_bucket(): void
    {
        for ($round = 0; $round < self::ROUNDS; $round++) {
            // Only what a request reads: a command refuses more.
            $bucket = $this->draw(['max_bytes', 'utf8', 'durability', 'store', 'sample', 'redact', 'quota']);
            $config = ['path' => '/b', 'buckets' => ['a' => $bucket]];
            $read = static fn (): AppendConfig => AppendConfig::fromArray($config);

            $quick = $this->verdict(static fn (): array => [
                $read()->isOnRedis('a'),
                $read()->maxBytes('a'),
                $read()->isPower('a'),
                $read()->utf8('a')->value ?? 'replace',
                $read()->filter('a')?->alters(),
            ]);
            $whole = $this->verdict(static function () use ($read): array {
                $config = $read()->whole();
                $read = $config->bucket('a');

                return [
                    $config->isOnRedis('a'),
                    $read?->maxBytes,
                    $read?->durability->value === 'power',
                    $read?->utf8->value,
                    $config->settings()->filter('a')?->alters(),
                ];
            });

            $this->assertAgree($whole, $quick, $bucket);
        }

        self::assertGreaterThan(self::ROUNDS / 4, $this->refused);
        self::assertLessThan(2 * self::ROUNDS - self::ROUNDS / 4, $this->refused);
    }

    #[Test]
    public function both_readers_agree_on_the_settings_of_the_buffer(): void
    {
        for ($round = 0; $round < self::ROUNDS; $round++) {
            $names = ['segment_bytes', 'store', 'dir_mode', 'file_mode', 'reserve', 'unknown', '5'];
            $config = ['path' => '/b'] + $this->draw($names);

            $quick = $this->verdict(static function () use ($config): array {
                $read = AppendConfig::fromArray($config);

                return [$read->segmentBytes(), $read->isOnRedis('a'), true, true];
            });
            $whole = $this->verdict(static function () use ($config): array {
                $read = AppendConfig::fromArray($config)->whole();
                $read->check();

                return [
                    $read->segmentBytes(),
                    $read->isOnRedis('a'),
                    $read->directoryMode() >= 0700,
                    $read->fileMode() >= 0600,
                ];
            });

            $this->assertAgree($whole, $quick, $config);
        }
    }

    /**
     * @param list<mixed>|string $whole
     * @param list<mixed>|string $quick
     * @param array<array-key, mixed> $drawn
     */
    private function assertAgree(array|string $whole, array|string $quick, array $drawn): void
    {
        $shown = (string) json_encode($drawn, JSON_PARTIAL_OUTPUT_ON_ERROR);
        self::assertSame(is_string($whole), is_string($quick), $shown);
        self::assertTrue(is_string($whole) || $whole === $quick, $shown);
    }

    /**
     * @param list<string> $names
     * @return array<array-key, mixed> some of them, right and wrong
     */
    private function draw(array $names): array
    {
        $drawn = [];

        foreach ($names as $name) {
            if ($this->random->getInt(0, 2) === 0) {
                $drawn[$name] = $this->value(BucketConfig::KEYS[$name] ?? AppendConfig::KEYS[$name] ?? []);
            }

            // An unknown key is one, also where it says nothing: a request does not look for these in a bucket.
            if ($name === 'quota' && ! isset($drawn[$name])) {
                unset($drawn[$name]);
            }
        }

        return $drawn;
    }

    /** @param array<string, mixed> $key */
    private function value(array $key): mixed
    {
        $right = [
            $key['default'] ?? null,
            $key['min'] ?? 0,
            $key['max'] ?? 1,
            $key['must'] ?? '0770',
            ...(array) ($key['allowed'] ?? []),
        ];
        $wrong = [
            is_int($key['min'] ?? null) ? $key['min'] - 1 : -1,
            is_int($key['max'] ?? null) ? $key['max'] + 1 : 0.5,
            is_int($key['max'] ?? null) ? (string) $key['max'] : '1',
            770, 1.5, true, false, '', 'x', '1e5', ' 1', [], ['x'], ['deep' => ['er' => null]], null, PHP_INT_MAX, NAN,
        ];
        $from = $this->random->getInt(0, 2) === 0 ? $wrong : $right;

        return $from[$this->random->getInt(0, count($from) - 1)];
    }

    /**
     * @param callable(): list<mixed> $read
     * @return list<mixed>|string the key that is refused
     */
    private function verdict(callable $read): array|string
    {
        try {
            return $read();
        } catch (InvalidConfig $e) {
            $this->refused++;

            return $e->key;
        }
    }
}
