<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Server\Metrics\PrometheusText;
use Headroom\Console\Standalone\Bootstrap;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Hello;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The tables and settings on the pages of the collector match the code.
 */
final class GuideTest extends TestCase
{
    #[Test]
    public function its_error_codes_and_statuses_are_those_of_the_intake_and_the_front_controller(): void
    {
        $codes = [
            ...array_map(
                static fn (ErrorCode $code): array => [$code->value, (string) $code->status()],
                ErrorCode::cases(),
            ),
            ['incomplete_body', '400'],
            ['not_set_up', '503'],
        ];

        self::assertEqualsCanonicalizing(
            $codes,
            array_map(static fn (array $row): array => array_slice($row, 0, 2), (new Guide)->table('Error codes')),
        );
    }

    #[Test]
    public function its_metrics_are_those_of_the_code(): void
    {
        $known = PrometheusText::metrics();
        $own = array_diff_key($known, SpoolMetrics::METRICS);
        $metrics = array_map(
            static fn (string $name, array $metric): array => [$name, $metric[0]],
            array_keys($own),
            $own,
        );
        $rows = array_values(array_filter(
            (new Guide)->table('Metrics'),
            static fn (array $row): bool => str_starts_with($row[0], 'headroom_'),
        ));

        self::assertEqualsCanonicalizing(
            $metrics,
            array_map(static fn (array $row): array => array_slice($row, 0, 2), $rows),
        );
        preg_match_all('/\bheadroom_[a-z_]+/', (new Guide)->text, $named);
        self::assertSame([], array_values(array_diff(array_unique($named[0]), array_keys($known))));
    }

    #[Test]
    public function a_running_collector_shows_no_metric_that_is_not_in_it(): void
    {
        $station = Station::open();
        $rows = [...array_column((new Guide)->table('Metrics'), 0), ...array_keys(SpoolMetrics::METRICS)];
        $metrics = '';
        $station->collector->waitFor(static function () use ($station, &$metrics): bool {
            $metrics = Client::fetch($station->collector->admin(), '/metrics')[1];

            return str_contains($metrics, 'headroom_sink_events_delivered_total');
        });
        preg_match_all('/^# TYPE (\w+) /m', $metrics, $shown);

        self::assertGreaterThan(10, count($shown[1]));
        self::assertSame([], array_values(array_diff($shown[1], $rows)));
    }

    #[Test]
    public function its_limits_are_the_settings_with_their_defaults(): void
    {
        $rows = array_column(
            array_map(static fn (array $row): array => [$row[0], $row[1]], (new Guide)->table('Limits')),
            1,
            0,
        );
        $defaults = IngestSettings::fromOptions(new ConfigReader([], 'collector.intake'));
        $limits = CollectorConfig::fromArray([])->limits()->all();
        $timeouts = CollectorConfig::fromArray([])->timeouts()->all();
        $intake = array_intersect_key($defaults->limits->toArray(), array_flip(IngestLimits::KEYS))
            + ['signature_tolerance' => $defaults->tolerance];
        $settings = [];

        foreach (['intake' => $intake, 'limits' => $limits, 'timeouts' => $timeouts] as $section => $values) {
            foreach ($values as $name => $value) {
                $settings["{$section}.{$name}"] = (string) $value;
            }
        }

        self::assertEquals($settings, $rows);
        // As if they had been set.
        CollectorConfig::fromArray(array_map(static fn (string $section): array => array_combine(
            array_map(
                static fn (string $name): string => explode('.', $name)[1],
                array_keys(array_filter(
                    $rows,
                    static fn (string $name): bool => str_starts_with($name, "{$section}."),
                    ARRAY_FILTER_USE_KEY,
                )),
            ),
            array_map(
                intval(...),
                array_filter(
                    $rows,
                    static fn (string $name): bool => str_starts_with($name, "{$section}."),
                    ARRAY_FILTER_USE_KEY,
                ),
            ),
        ), ['intake' => 'intake', 'limits' => 'limits', 'timeouts' => 'timeouts']));
    }

    #[Test]
    public function its_settings_are_taken(): void
    {
        $guide = new Guide;
        $config = $this->evaluated(str_replace('<?php', '', $guide->examples('Without Laravel', 'php')[0]));
        self::assertIsArray($config['spool']);
        self::assertIsArray($config['collector']);
        self::assertNotNull(SpoolConfig::fromArray($config['spool'])->bucket('events'));
        CollectorConfig::fromArray($config['collector']);

        $limits = $this->evaluated('return ['.$guide->examples('Types, schemas and rejected events', 'php')[0].'];');
        self::assertIsArray($limits['intake']);
        $intake = IngestSettings::fromOptions(new ConfigReader($limits['intake'], 'collector.intake'));
        self::assertSame(
            [['order.*', 'page.viewed'], ['order.placed'], 'rejected'],
            [$intake->types, array_keys($intake->schemas), $intake->deadBucket],
        );

        preg_match_all(
            "/`('\\w+' => [^`]+)`\\s(?:under\\s`collector\\.intake`|there|where)/",
            (new Guide)->text,
            $inline,
        );
        self::assertGreaterThan(1, count($inline[1]));

        foreach ($inline[1] as $setting) {
            IngestSettings::fromOptions(new ConfigReader(
                $this->evaluated('return ['.str_replace('whsec_…', 'whsec_c2VzYW1l', $setting).'];'),
                'collector.intake',
            ));
        }
    }

    #[Test]
    public function its_handler_passes_on_another_server_s_answer(): void
    {
        [$class, $setting] = (new Guide)->examples('Handlers of your own', 'php');
        $handlers = $this->evaluated("return [{$setting}];")['handlers'];
        $home = TemporaryDirectory::create('collector');
        $home->write('Stock.php', $class);
        // In the place of Composer's autoloader.
        $home->write('classes.ini', "auto_prepend_file={$home->file('Autoload.php')}\n");
        $home->write(
            'Autoload.php',
            '<?php spl_autoload_register(static fn (string $class) => $class === "App\\Stock" && require'
                .' __DIR__."/Stock.php");',
        );
        $there = Running::start(['workers' => 1, 'handlers' => ['/stock' => Hello::class]]);
        $collector = Running::start(
            ['workers' => 1, 'handlers' => $handlers],
            env: ['PHP_INI_SCAN_DIR' => ":{$home->path}", 'STOCK_HOST' => $there->address()],
            home: $home,
        );

        self::assertSame([200, 'hello /stock/apples'], Client::fetch($collector->address(), '/stock/apples'));
        $there->end();
        self::assertSame(502, Client::fetch($collector->address(), '/stock/pears')[0]);
    }

    #[Test]
    public function its_install_command_names_the_suggested_packages(): void
    {
        $composer = json_decode(Files::read('composer.json'), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($composer);
        self::assertIsArray($composer['suggest']);
        $command = (new Guide)->commands('Install')[0][0];
        self::assertStringStartsWith('composer require ', $command);

        self::assertSame(
            [],
            array_diff(
                explode(' ', trim(substr($command, strlen('composer require ')))),
                ['headroom/headroom', ...array_map(strval(...), array_keys($composer['suggest']))],
            ),
        );
    }

    #[Test]
    public function its_commands_are_there(): void
    {
        $application = (new Bootstrap)->application();
        preg_match_all(
            '/(?:headroom |`)((?:collect|spool)(?::[a-z]+)?|load)\b/',
            (new Guide)->text,
            $named,
        );
        $named = array_diff(array_unique($named[1]), ['collect', 'spool']);
        self::assertGreaterThan(6, count($named));

        foreach ([...$named, 'collect'] as $name) {
            self::assertTrue($application->has($name), $name);
        }
    }

    #[Test]
    public function its_configurations_for_other_programs_are_printed(): void
    {
        $station = Station::open();

        foreach (explode("\n", trim((new Guide)->commands('Keep it running')[0][0])) as $command) {
            self::assertStringStartsWith('headroom collect:config ', $command);
            [$exit, $output] = $station->collector->command(...array_slice(explode(' ', $command), 1));
            self::assertSame(0, $exit, $output);
        }
    }

    /** @return array<array-key, mixed> */
    private function evaluated(string $code): array
    {
        $file = sys_get_temp_dir().'/headroom-page-'.bin2hex(random_bytes(6)).'.php';
        file_put_contents($file, "<?php\n{$code}");

        try {
            $value = require $file;
            self::assertIsArray($value);

            return $value;
        } finally {
            unlink($file);
        }
    }
}
