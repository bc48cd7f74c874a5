<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server\Metrics;

use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Server\Metrics\PrometheusText;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Tests\Support\Promtool;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PrometheusTextTest extends TestCase
{
    #[Test]
    public function promtool_accepts_every_metric(): void
    {
        $text = PrometheusText::of(self::values());

        self::assertSame(count(self::metrics()), preg_match_all('/^# TYPE /m', $text));
        self::assertSame([0, ''], Promtool::checkMetrics($text));
    }

    /** @return iterable<string, array{string}> */
    public static function mistakes(): iterable
    {
        yield 'a counter without _total' => ["# HELP headroom_a Text.\n# TYPE headroom_a counter\nheadroom_a 1\n"];
        yield 'a gauge with _total' => [
            "# HELP headroom_a_total Text.\n# TYPE headroom_a_total gauge\nheadroom_a_total 1\n",
        ];
        yield 'no help text' => ["# TYPE headroom_a gauge\nheadroom_a 1\n"];
        yield 'a unit that is not a base unit' => [
            "# HELP headroom_a_milliseconds Text.\n# TYPE headroom_a_milliseconds gauge\nheadroom_a_milliseconds 1\n",
        ];
    }

    #[Test]
    #[DataProvider('mistakes')]
    public function promtool_rejects_a_metric_against_the_conventions(string $text): void
    {
        [$exit, $output] = Promtool::checkMetrics($text);

        self::assertNotSame(0, $exit);
        self::assertStringContainsString('headroom_a', $output);
    }

    #[Test]
    public function no_label_repeats_the_name_of_its_metric(): void
    {
        $labels = ['code', 'reason', 'class', 'bucket', 'sink', 'le'];
        preg_match_all('/^(headroom_\w+)\{(\w+)=/m', PrometheusText::of(self::values()), $found);

        self::assertNotSame([], $found[2]);

        foreach ($found[2] as $number => $label) {
            self::assertContains($label, $labels);
            self::assertNotContains($label, explode('_', $found[1][$number]));
        }
    }

    #[Test]
    public function the_guide_lists_every_metric_of_the_collector_with_its_type_and_help(): void
    {
        preg_match_all(
            '/^\| `(headroom_\w+)` \| (\w+) \| (.+) \|$/m',
            (string) file_get_contents(dirname(__DIR__, 5).'/docs/collector-operation.md'),
            $rows,
            PREG_SET_ORDER,
        );
        $listed = [];

        foreach ($rows as [, $name, $type, $help]) {
            $listed[$name] = [$type, rtrim($help, '.').'.'];
        }

        self::assertSame(array_diff_key(self::metrics(), SpoolMetrics::METRICS), $listed);
    }

    /** @return array<string, int|float> a value of each metric, with a label where it has one */
    private static function values(): array
    {
        $registry = new MetricsRegistry;
        $registry->countResponse(202);
        $registry->countDroppedConnection('no_data');
        $registry->observeAcknowledgement(700_000);
        $values = $registry->series();

        foreach (self::metrics() as $name => [$type]) {
            $label = match (true) {
                str_starts_with($name, 'headroom_sink_') => '{bucket="events",sink="database"}',
                str_starts_with($name, 'headroom_spool_')
                    && $name !== 'headroom_spool_free_bytes' => '{bucket="events"}',
                default => '',
            };

            if ($type !== 'histogram' && ! isset($values["{$name}{$label}"])) {
                $values["{$name}{$label}"] = $name === 'headroom_loop_lag_seconds' ? 0.25 : 1;
            }
        }

        return $values;
    }

    /** @return array<string, array{string, string}> type and help text by name */
    private static function metrics(): array
    {
        return PrometheusText::metrics();
    }
}
