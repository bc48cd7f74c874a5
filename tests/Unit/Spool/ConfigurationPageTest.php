<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Sink\Callback\Handler;
use Headroom\Sink\ClickHouse\ClickHouseOptions;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Headroom\Sink\Elasticsearch\ElasticsearchOptions;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Http\HttpOptions;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Durability;
use Headroom\Spool\OverflowPolicy;
use Headroom\Spool\RateLimit;
use Headroom\Spool\RedisConfig;
use Headroom\Spool\Utf8;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Markdown\SettingsPage;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/configuration.md, config/spool.php and the declared keys name the same settings.
 */
final class ConfigurationPageTest extends TestCase
{
    private const CONFIG = __DIR__.'/../../../config/spool.php';

    /** @return iterable<string, array{string, array<string, array<string, mixed>>}> */
    public static function sections(): iterable
    {
        yield 'The buffer' => ['spool', AppendConfig::KEYS];
        yield 'Redis' => ['spool.redis', RedisConfig::KEYS];
        yield 'Buckets' => ['buckets.*', BucketConfig::KEYS];
    }

    /** @param array<string, array<string, mixed>> $keys */
    #[Test]
    #[DataProvider('sections')]
    public function each_key_is_on_the_page_and_no_other(string $section, array $keys): void
    {
        self::assertSame(array_keys($keys), array_keys(SettingsPage::read()->below($section)));
    }

    /** @param array<string, array<string, mixed>> $keys */
    #[Test]
    #[DataProvider('sections')]
    public function the_page_has_the_bounds_and_the_default_of_each_key(string $section, array $keys): void
    {
        foreach (SettingsPage::read()->below($section) as $name => $setting) {
            $key = $keys[$name];

            if (isset($key['min'], $key['max'])) {
                self::assertSame([$key['min'], $key['max']], SettingsPage::bounds($setting['type']), $name);
            }

            if (is_array($key['allowed'] ?? null)) {
                preg_match_all('/`([^`]+)`/', $setting['type'], $values);
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
                self::assertSame($isMode ? sprintf('0%o', $key['default']) : $default, $setting['default'], $name);
            }
        }
    }

    #[Test]
    public function a_rate_limit_has_its_bounds_on_the_page(): void
    {
        $setting = SettingsPage::read()->below('buckets.*')['rate_limit'];

        foreach (RateLimit::KEYS as $name => $key) {
            self::assertStringContainsString("'{$name}' => ", $setting['type']);
            self::assertMatchesRegularExpression(
                "/`{$name}`[^(]*\({$key['min']} to {$key['max']}\)/",
                str_replace("\n", ' ', $setting['meaning']),
            );
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

    /** @return iterable<string, array{string, list<callable(ConfigReader): mixed>}> */
    public static function sinks(): iterable
    {
        yield 'database' => ['database', array_map(
            static fn (string $mode): callable => static fn (ConfigReader $options): mixed
                => ConflictResolution::fromOptions($options->withDefaults(new ConfigReader(['mode' => $mode], ''))),
            ['insert', 'upsert', 'aggregate'],
        )];
        yield 'file' => ['file', [FileSink::fromOptions(...)]];
        yield 'handler' => ['handler', [static fn (ConfigReader $options): Handler => Handler::fromOptions(
            $options,
            static fn (string $class): object => new $class,
            static fn (): ?string => null,
            static fn (): string => '',
        )]];
        yield 'http' => ['http', [HttpOptions::from(...)]];
        yield 'elasticsearch' => ['elasticsearch', [ElasticsearchOptions::from(...)]];
        yield 'clickhouse' => ['clickhouse', [ClickHouseOptions::from(...)]];
        yield 'memory' => [
            'memory',
            [static fn (ConfigReader $options): MemorySink => MemorySink::fromOptions(new Arrivals, $options)],
        ];
    }

    /** @param list<callable(ConfigReader): mixed> $readers */
    #[Test]
    #[DataProvider('sinks')]
    public function each_setting_of_a_sink_is_on_the_page(string $driver, array $readers): void
    {
        $known = [];

        foreach ($readers as $reader) {
            try {
                $reader(new ConfigReader(['no_such_key' => 1], ''));
                self::fail("The sink {$driver} takes a key that it does not know.");
            } catch (InvalidConfig $e) {
                self::assertSame(1, preg_match('/Known here: (.*)\.$/', $e->getMessage(), $names), $e->getMessage());
                array_push($known, ...explode(', ', $names[1]));
            }
        }

        self::assertEqualsCanonicalizing(
            array_values(array_diff(array_unique($known), [''])),
            array_keys(SettingsPage::read()->below($driver)),
        );
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
        $documented = [];

        foreach (SettingsPage::read()->variables() as $key => $variable) {
            if (str_starts_with($key, 'spool.')) {
                $documented[substr($key, (int) strrpos($key, '.') + 1)] = $variable;
            }
        }

        self::assertEquals(array_combine($used[1], $used[2]), $documented);
    }
}
