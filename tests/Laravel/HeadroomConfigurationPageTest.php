<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Laravel\Alerts\AlertSettings;
use Headroom\Laravel\Http\Charts\ChartSettings;
use Headroom\Laravel\Http\Dashboard\DashboardSettings;
use Headroom\Preload\Mode;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Markdown\SettingsPage;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/configuration.md, config/headroom.php and the readers of its sections agree on keys, bounds and defaults.
 */
final class HeadroomConfigurationPageTest extends TestCase
{
    private const CONFIG = __DIR__.'/../../config/headroom.php';

    /** Every reader refuses this key, and lists the keys that it knows. */
    private const UNKNOWN = 'no_such_key';

    /** The arrays of the collector. The page has a heading for each. */
    private const ARRAYS = ['limits', 'timeouts', 'recycle', 'intake'];

    /** @return iterable<string, array{string}> */
    public static function sections(): iterable
    {
        foreach ([
            'collector', ...array_map(self::ofCollector(...), self::ARRAYS), 'notify', 'dashboard', 'charts', 'preload',
        ] as $section) {
            yield $section => [$section];
        }
    }

    #[Test]
    #[DataProvider('sections')]
    public function each_key_of_a_section_is_on_the_page_and_no_other(string $section): void
    {
        $known = self::knownTo($section);

        self::assertEqualsCanonicalizing(
            array_values(array_diff($known, $section === 'collector' ? self::ARRAYS : [])),
            array_keys(SettingsPage::read()->below($section)),
        );
    }

    #[Test]
    #[DataProvider('sections')]
    public function the_bounds_on_the_page_are_those_of_the_reader(string $section): void
    {
        $settings = SettingsPage::read()->below($section);
        self::assertNotSame([], $settings);

        foreach ($settings as $key => $setting) {
            foreach (SettingsPage::bounds($setting['type']) ?? [] as $end => $bound) {
                self::assertNull(self::refusalOf($section, $key, $bound), "{$section}.{$key} takes {$bound}");

                if ($bound < PHP_INT_MAX) {
                    $outside = $bound + ($end === 1 ? 1 : -1);
                    self::assertNotNull(
                        self::refusalOf($section, $key, $outside),
                        "{$section}.{$key} takes {$outside}",
                    );
                }
            }
        }
    }

    #[Test]
    public function the_defaults_of_the_collector_are_those_of_the_page(): void
    {
        $config = CollectorConfig::fromArray([]);
        $intake = IngestSettings::fromOptions($config->intake());
        $page = SettingsPage::read();

        self::assertSame(
            ['tcp://127.0.0.1:8080', 'tcp://127.0.0.1:9180', null, 1, 'events', null, null, []],
            [
                $config->listen()->uri, $config->admin()?->uri, $config->workers, $config->flushers, $config->bucket,
                $config->descriptors, $config->highWater, $config->handlers,
            ],
        );
        self::assertSame(
            [
                'listen' => '127.0.0.1:8080', 'admin' => '127.0.0.1:9180', 'workers' => 'auto', 'flushers' => '1',
                'bucket' => 'events', 'descriptors' => 'the limit of the event loop',
                'high_water' => 'nine tenths of `max_bytes`', 'handlers' => 'none',
            ],
            self::defaults($page->below('collector')),
        );
        self::assertSame(
            array_map(strval(...), $config->limits()->all()),
            self::defaults($page->below('collector.limits')),
        );
        self::assertSame(
            array_map(strval(...), $config->timeouts()->all()),
            self::defaults($page->below('collector.timeouts')),
        );
        self::assertEquals([
            'auth' => 'true', 'bucket' => 'collector.bucket', 'dead_bucket' => 'none', 'origins' => "['*']",
            'pixel' => 'false', 'source' => $intake->source, 'types' => 'any', 'schemas' => 'none',
            'webhooks' => 'none',
            'signature_tolerance' => "{$intake->tolerance}",
            ...array_map(
                strval(...),
                array_intersect_key($intake->limits->toArray(), $page->below('collector.intake')),
            ),
        ], self::defaults($page->below('collector.intake')));
        self::assertSame(
            [true, null, ['*'], false, null, [], []],
            [
                $intake->isAuthenticated, $intake->deadBucket, $intake->origins, $intake->hasPixel, $intake->types,
                $intake->schemas, $intake->webhooks,
            ],
        );
    }

    #[Test]
    public function a_worker_is_replaced_at_the_defaults_of_the_page(): void
    {
        $defaults = self::defaults(SettingsPage::read()->below('collector.recycle'));
        $policy = CollectorConfig::fromArray([])->recyclePolicy(0, 0.0);
        $age = (int) $defaults['seconds'] * 1_000_000_000;
        $memory = (int) $defaults['memory'] * 1_048_576;

        self::assertSame('0', $defaults['requests']);
        self::assertNull($policy->over($age - 1, $memory, PHP_INT_MAX));
        self::assertNotNull($policy->over($age, $memory, 0));
        self::assertNotNull($policy->over(0, $memory + 1, 0));
    }

    #[Test]
    public function the_defaults_of_preloading_are_those_of_the_page(): void
    {
        $config = PreloadConfig::fromArray([], '/app');
        $page = SettingsPage::read()->below('preload');

        self::assertSame([
            'sample' => "{$config->sample}", 'samples' => str_replace('/app/', '', $config->samples),
            'strategy' => $config->strategy->value, 'share' => "{$config->share}",
            'paths' => 'none', 'ignore' => 'none', 'budget_mb' => (string) ($config->budgetBytes / 1_048_576),
            'mode' => $config->mode->value, 'file' => $config->file, 'front' => $config->front, 'url' => $config->url,
        ], self::defaults($page));
        self::assertSame([[], []], [$config->paths, $config->ignore]);

        foreach (['strategy' => Strategy::class, 'mode' => Mode::class] as $key => $enum) {
            preg_match_all('/`([^`]+)`/', $page[$key]['type'], $values);
            self::assertEqualsCanonicalizing(array_column($enum::cases(), 'value'), $values[1]);
        }
    }

    #[Test]
    public function the_published_file_sets_the_defaults_of_the_page_and_its_variables(): void
    {
        $published = require self::CONFIG;
        self::assertIsArray($published);
        $page = SettingsPage::read();

        foreach (['collector', 'collector.intake', 'notify', 'doctor', 'dashboard', 'charts', 'preload'] as $section) {
            foreach (array_diff_key(
                (array) data_get($published, $section),
                array_flip(self::ARRAYS),
            ) as $key => $value) {
                $default = $page->below($section)[$key]['default'] ?? null;

                // The application adds its storage path, because the file is also read without an application.
                if ("{$section}.{$key}" !== 'preload.samples') {
                    self::assertSame(self::written($value), $default, "{$section}.{$key}");
                }
            }
        }

        preg_match_all("/env\('(\w+)'/", (string) file_get_contents(self::CONFIG), $used);
        preg_match_all(
            '/^\| `(\w+)` \| \[`(.+)`\]\(#/m',
            (string) file_get_contents(dirname(__DIR__, 2).'/'.SettingsPage::PATH),
            $listed,
        );
        $table = array_combine($listed[2], $listed[1]);

        self::assertEqualsCanonicalizing(
            $used[1],
            array_values(array_filter($table, static fn (string $name): bool => ! str_starts_with($name, 'SPOOL_'))),
        );
        self::assertEquals([...$page->variables(), 'collector.intake.auth' => 'HEADROOM_AUTH'], $table);
    }

    /** As the page writes a default. */
    private static function written(mixed $value): string
    {
        return match (true) {
            $value === [], $value === null, $value === '' => 'none',
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => "['".implode("', '", array_filter($value, is_string(...)))."']",
            default => is_scalar($value) ? (string) $value : '',
        };
    }

    private static function ofCollector(string $array): string
    {
        return "collector.{$array}";
    }

    /**
     * @param array<string, array{default: ?string}> $settings
     * @return array<string, ?string>
     */
    private static function defaults(array $settings): array
    {
        return array_map(static fn (array $setting): ?string => $setting['default'], $settings);
    }

    /** @return list<string> */
    private static function knownTo(string $section): array
    {
        $message = (string) self::refusalOf($section, self::UNKNOWN, 1);
        self::assertSame(1, preg_match('/Known here: (.*)\.$/', $message, $names), $message);

        return explode(', ', $names[1]);
    }

    /** @return ?string the message */
    private static function refusalOf(string $section, string $key, mixed $value): ?string
    {
        [$first, $array] = [...explode('.', $section), null];
        $values = $array === null ? [$key => $value] : [$array => [$key => $value]];

        try {
            match ($first) {
                'collector' => IngestSettings::fromOptions(CollectorConfig::fromArray($values)->intake()),
                'notify' => AlertSettings::fromArray($values),
                'dashboard' => DashboardSettings::fromArray($values),
                'charts' => ChartSettings::fromArray($values),
                default => PreloadConfig::fromArray($values, '/app'),
            };
        } catch (InvalidConfig $e) {
            return $e->getMessage();
        }

        return null;
    }
}
