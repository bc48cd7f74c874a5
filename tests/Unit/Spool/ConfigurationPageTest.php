<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Durability;
use Headroom\Spool\OverflowPolicy;
use Headroom\Spool\RateLimit;
use Headroom\Spool\RedisConfig;
use Headroom\Spool\Utf8;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/configuration.md, config/spool.php and the declared keys name the same settings.
 */
final class ConfigurationPageTest extends TestCase
{
    private const PAGE = __DIR__.'/../../../docs/configuration.md';

    private const CONFIG = __DIR__.'/../../../config/spool.php';

    /** @return iterable<string, array{string, array<string, array<string, mixed>>}> */
    public static function sections(): iterable
    {
        yield 'The buffer' => ['The buffer', AppendConfig::KEYS];
        yield 'Redis' => ['Redis', RedisConfig::KEYS];
        yield 'Buckets' => ['Buckets', BucketConfig::KEYS];
    }

    /** @param array<string, array<string, mixed>> $keys */
    #[Test]
    #[DataProvider('sections')]
    public function each_key_is_on_the_page_and_no_other(string $section, array $keys): void
    {
        self::assertSame(array_keys($keys), array_keys(self::rows($section)));
    }

    /** @param array<string, array<string, mixed>> $keys */
    #[Test]
    #[DataProvider('sections')]
    public function the_page_has_the_bounds_and_the_default_of_each_key(string $section, array $keys): void
    {
        foreach (self::rows($section) as $name => $row) {
            $key = $keys[$name];

            if (isset($key['min'], $key['max'])) {
                preg_match('/^(\d+) to (\d+) [a-z]/', $row['type'], $bounds);
                self::assertSame([$key['min'], $key['max']], array_map(intval(...), array_slice($bounds, 1)), $name);
            }

            if (is_array($key['allowed'] ?? null)) {
                preg_match_all('/`([^`]+)`/', $row['type'], $values);
                self::assertSame($key['allowed'], $values[1], $name);
            }

            if (array_key_exists('default', $key)) {
                $default = match ($key['default']) {
                    true => 'true',
                    false => 'false',
                    null => $name === 'autoflush' ? 'false' : 'none',
                    default => is_scalar($key['default']) ? (string) $key['default'] : '',
                };
                $isMode = isset($key['must']) && is_int($key['default']);
                self::assertSame($isMode ? sprintf('0%o', $key['default']) : $default, $row['default'], $name);
            }
        }
    }

    #[Test]
    public function a_rate_limit_has_its_bounds_on_the_page(): void
    {
        $row = self::rows('Buckets')['rate_limit'];

        foreach (RateLimit::KEYS as $name => $key) {
            self::assertStringContainsString("'{$name}' => ", $row['type']);
            self::assertMatchesRegularExpression("/`{$name}`[^(]*\({$key['min']} to {$key['max']}\)/", $row['meaning']);
        }
    }

    #[Test]
    public function the_values_of_a_choice_are_the_cases_of_its_enum(): void
    {
        $enums = ['utf8' => Utf8::class, 'overflow' => OverflowPolicy::class, 'durability' => Durability::class];

        foreach ($enums as $name => $enum) {
            self::assertSame(array_column($enum::cases(), 'value'), BucketConfig::KEYS[$name]['allowed']);
        }
    }

    #[Test]
    public function the_published_file_has_each_key(): void
    {
        preg_match_all("/^    '(\w+)' =>/m", (string) file_get_contents(self::CONFIG), $keys);

        self::assertEqualsCanonicalizing(array_keys(AppendConfig::KEYS), $keys[1]);
    }

    #[Test]
    public function the_environment_variables_are_those_of_the_published_file(): void
    {
        preg_match_all("/^ +'(\w+)' => env\('(SPOOL_\w+)'/m", (string) file_get_contents(self::CONFIG), $used);
        $rows = array_column([...self::rows('The buffer'), ...self::rows('Redis')], 'environment', 'key');
        $documented = array_filter($rows, static fn (mixed $name): bool => ! in_array($name, ['', null], true));

        self::assertEquals(array_combine($used[1], $used[2]), $documented);
    }

    /** @return array<string, array<string, string>> cells without backticks, but for types, by key */
    private static function rows(string $section): array
    {
        $page = (string) file_get_contents(self::PAGE);
        self::assertSame(1, preg_match("/^## {$section}\n(.*?)(?=^## |\z)/ms", $page, $found));
        preg_match_all('/^\| (.*) \|$/m', $found[1], $lines);
        $rows = array_map(static fn (string $line): array => array_map(trim(...), explode(' |', $line)), $lines[1]);
        $head = array_shift($rows) ?? [];
        $byKey = [];

        foreach ($rows as $row) {
            self::assertCount(count($head), $row, implode(' | ', $row));
            $cells = array_combine($head, $row);
            $plain = array_map(static fn (string $cell): string => trim($cell, '`'), $cells);
            $byKey[$plain['key']] = ['type' => $cells['type'], 'meaning' => $cells['meaning']] + $plain;
        }

        return $byKey;
    }
}
