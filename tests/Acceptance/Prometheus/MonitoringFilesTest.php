<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Prometheus;

use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Support\MetricsText;
use Headroom\Tests\Support\Promtool;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The dashboard, the rules, and the page about them, judged by promtool and by the list of metrics.
 */
final class MonitoringFilesTest extends TestCase
{
    private TemporaryDirectory $home;

    protected function setUp(): void
    {
        $this->home = TemporaryDirectory::create('rules');
    }

    protected function tearDown(): void
    {
        $this->home->remove();
    }

    #[Test]
    public function promtool_accepts_the_rules(): void
    {
        [$exit, $said] = Promtool::checkRules(MonitoringFiles::RULES);

        self::assertSame(0, $exit, $said);
        self::assertStringContainsString('SUCCESS: 4 rules found', $said);
    }

    #[Test]
    public function the_rule_tests_of_the_package_pass(): void
    {
        [$exit, $said] = Promtool::testRules(MonitoringFiles::RULE_TESTS);

        self::assertSame(0, $exit, $said);
        self::assertStringContainsString('SUCCESS', $said);
    }

    /** @return iterable<string, array{string, string}> */
    public static function changes(): iterable
    {
        yield 'a later age' => ['> 300', '> 3000'];
        yield 'a paused bucket' => ['            unless headroom_spool_paused == 1'."\n", ''];
        yield 'a bucket that is delivered' => [
            '(headroom_sink_events_delivered_total[5m])) > 0', '(headroom_sink_events_delivered_total[5m])) < 0',
        ];
        yield 'counters that are gone' => [
            'unless sum without (sink) (increase(headroom_sink_events_delivered_total[5m])) > 0',
            'and sum without (sink) (increase(headroom_sink_events_delivered_total[5m])) == 0',
        ];
        yield 'a backlog that is as before' => [
            '> min_over_time(headroom_spool_events[10m] offset', '>= min_over_time(headroom_spool_events[10m] offset',
        ];
        yield 'a small backlog' => ['<= increase(headroom_spool_events_accepted_total[5m])', '<= 100000'];
        yield 'no dead letter' => ['headroom_spool_dead_letters > 0', 'headroom_spool_dead_letters >= 0'];
        yield 'only the present disk' => [
            '            or predict_linear(headroom_spool_free_bytes[1h], 4 * 3600) < headroom_spool_min_free_bytes'
                ."\n",
            '',
        ];
        yield 'another command' => ['`php artisan spool:status`', '`php artisan spool:health`'];
    }

    #[Test]
    #[DataProvider('changes')]
    public function the_rule_tests_notice_a_change_of_the_rules(string $from, string $to): void
    {
        $rules = (string) file_get_contents(MonitoringFiles::RULES);
        self::assertStringContainsString($from, $rules);
        $this->home->write('prometheus-rules.yml', str_replace($from, $to, $rules));
        $this->home->write('test.yml', (string) file_get_contents(MonitoringFiles::RULE_TESTS));

        self::assertSame(1, Promtool::testRules($this->home->file('test.yml'))[0]);
    }

    #[Test]
    public function each_alert_names_the_command_that_helps(): void
    {
        $rules = (string) file_get_contents(MonitoringFiles::RULES);
        preg_match_all(
            '/- alert: (\w+)\n.*?severity: (\w+).*?summary: (.+?)\n.*?description: >-\n(.+?)(?=\n\n|\z)/s',
            $rules,
            $alerts,
            PREG_SET_ORDER,
        );
        self::assertCount(4, $alerts);

        foreach ($alerts as [, $name, $severity, $summary, $description]) {
            self::assertContains($severity, ['critical', 'warning'], $name);
            self::assertStringContainsString('{{ $labels.instance }}', $summary, $name);
            self::assertMatchesRegularExpression('/`php artisan spool:\w+/', $description, $name);
            self::assertStringContainsString("| `{$name}` |", self::page());
        }
    }

    #[Test]
    public function each_expression_of_the_dashboard_and_the_rules_names_metrics_that_exist(): void
    {
        $texts = [...MonitoringFiles::expressions(), (string) file_get_contents(MonitoringFiles::RULES)];
        preg_match_all('/\bheadroom_\w+/', implode("\n", $texts), $named);

        self::assertSame([], array_values(array_diff(array_unique($named[0]), array_keys(SpoolMetrics::METRICS))));
        self::assertSame(
            ['target_info'],
            array_values(array_diff(array_keys(SpoolMetrics::METRICS), $named[0])),
            'The dashboard leaves out a metric.',
        );
    }

    #[Test]
    public function prometheus_parses_each_expression_of_the_dashboard(): void
    {
        $rules = '';
        $number = 0;

        foreach (MonitoringFiles::expressions() as $expression) {
            $number++;
            $rules .= "      - {record: 'test:panel:{$number}', expr: ".json_encode($expression, JSON_THROW_ON_ERROR)
                ."}\n";
        }

        $this->home->write('rules.yml', "groups:\n  - name: panels\n    rules:\n{$rules}");
        [$exit, $said] = Promtool::checkRules($this->home->file('rules.yml'));
        self::assertSame(0, $exit, $said);
        self::assertStringContainsString("SUCCESS: {$number} rules found", $said);
    }

    #[Test]
    #[TestWith(['Waiting (1) A', 'headroom_spool_events'])]
    #[TestWith(['Dead letters (3) A', 'headroom_spool_dead_letters'])]
    #[TestWith(['Missing (4) A', 'headroom_spool_missing'])]
    #[TestWith(['Paused buckets (6) A', 'headroom_spool_paused'])]
    public function a_bucket_in_redis_counts_once_although_each_machine_shows_it(string $panel, string $metric): void
    {
        $series = '';

        foreach (['web-1', 'web-2'] as $machine) {
            foreach (['file' => 5, 'redis' => 30] as $store => $value) {
                $of = ['job' => 'shop', 'instance' => $machine, 'bucket' => $store];
                $series .= self::input(MetricsText::series($metric, $of), $value)
                    .self::input(MetricsText::series('headroom_spool_config_info', [...$of, 'store' => $store]), 1);
            }
        }

        $expression = json_encode(MonitoringFiles::expressions()[$panel], JSON_THROW_ON_ERROR);
        $this->home->write('test.yml', "tests:\n  - input_series:\n{$series}    promql_expr_test:\n      - expr: "
            .$expression."\n        exp_samples: [{labels: '{}', value: 40}]\n");
        [$exit, $said] = Promtool::testRules($this->home->file('test.yml'));

        self::assertSame(0, $exit, $said);
    }

    private static function input(string $series, int $value): string
    {
        return "      - series: '{$series}'\n        values: '{$value}'\n";
    }

    #[Test]
    public function the_dashboard_has_what_an_import_needs(): void
    {
        $dashboard = MonitoringFiles::dashboard();
        self::assertNull($dashboard['id']);
        self::assertGreaterThanOrEqual(36, $dashboard['schemaVersion']);
        /** @var array{list: list<array{name: string, type: string}>} $templating */
        $templating = $dashboard['templating'];
        self::assertSame(
            ['datasource' => 'datasource', 'instance' => 'query', 'bucket' => 'query'],
            array_column($templating['list'], 'type', 'name'),
        );
        /** @var list<array{type: string, id: string}> $requires */
        $requires = $dashboard['__requires'];
        $kinds = array_column(array_filter($requires, static fn (array $one): bool => $one['type'] === 'panel'), 'id');
        $taken = [];
        $ids = [];

        /**
         * @var array{
         *     id: int,
         *     type: string,
         *     title: string,
         *     datasource: array<string, string>,
         *     gridPos: array{x: int, y: int, w: int, h: int},
         *     targets: list<array{datasource: array<string, string>, refId: string}>,
         * } $panel
         */
        foreach (MonitoringFiles::panels() as $panel) {
            $ids[] = $panel['id'];
            self::assertContains($panel['type'], $kinds);
            self::assertNotSame('', $panel['title']);
            $letters = array_column($panel['targets'], 'refId');
            self::assertSame(array_unique($letters), $letters);

            foreach ([$panel, ...$panel['targets']] as $part) {
                self::assertSame(['type' => 'prometheus', 'uid' => '${datasource}'], $part['datasource']);
            }

            $at = $panel['gridPos'];
            self::assertLessThanOrEqual(24, $at['x'] + $at['w']);

            for ($cell = 0; $cell < $at['w'] * $at['h']; $cell++) {
                $place = ($at['x'] + $cell % $at['w']).' '.($at['y'] + intdiv($cell, $at['w']));
                self::assertArrayNotHasKey($place, $taken, "{$panel['title']} covers another panel.");
                $taken[$place] = true;
            }
        }

        self::assertSame(array_unique($ids), $ids);
    }

    #[Test]
    public function the_page_lists_each_metric_and_its_translated_name(): void
    {
        preg_match_all(
            '/^\| `(\w+)` \| (?:`([\w.]+)`(?: \((\w+)\))?|resource attributes) \| (.+) \|$/m',
            self::page(),
            $rows,
            PREG_SET_ORDER,
        );
        $listed = [];

        foreach ($rows as [, $name, $open, $unit, $meaning]) {
            $listed[$name] = "{$meaning}.";

            if ($name !== 'target_info') {
                [$type] = SpoolMetrics::METRICS[$name] ?? ['unknown'];
                self::assertSame($name, self::translated($open, $unit, $type));
            }
        }

        self::assertSame(array_map(static fn (array $metric): string => $metric[1], SpoolMetrics::METRICS), $listed);
    }

    /** As the specification of OpenTelemetry, "Prometheus and OpenMetrics compatibility", has it. */
    private static function translated(string $name, string $unit, string $type): string
    {
        $name = strtr($name, '.', '_');
        $word = ['By' => 'bytes', 's' => 'seconds', '' => ''][$unit] ?? $unit;
        $name .= $word === '' || in_array($word, explode('_', $name), true) ? '' : "_{$word}";

        return $type === 'counter' ? "{$name}_total" : $name;
    }

    private static function page(): string
    {
        return (string) file_get_contents(dirname(__DIR__, 3).'/docs/prometheus.md');
    }
}
