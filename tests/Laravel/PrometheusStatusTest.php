<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\DeadLetters\ForgetCommand;
use Headroom\Console\Spool\DeadLetters\RetryCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\PauseCommand;
use Headroom\Console\Spool\ReplayCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\ExpositionReader;
use Headroom\Tests\Support\Promtool;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Throwable;

/**
 * The metrics that spool:status prints. The table has no column "nocolumn", so an event with one is refused.
 */
final class PrometheusStatusTest extends SpoolTestCase
{
    /** So much free disk no machine has: a pebibyte. */
    private const NO_ROOM = 1_125_899_906_842_624;

    private const BUCKET = ['bucket' => 'api-events'];

    private const SINK = ['bucket' => 'api-events', 'sink' => 'database'];

    #[Test]
    public function every_metric_has_its_value_and_promtool_has_no_complaint(): void
    {
        $this->everything();
        $printed = $this->print();

        self::assertSame([0, ''], Promtool::checkMetrics($printed->out));
        self::assertSame(
            array_keys(SpoolMetrics::METRICS),
            array_values(array_unique(array_column(ExpositionReader::samples($printed->out), 0))),
        );
        $status = $this->spool->runtime()->status()->buckets[0];

        foreach ([
            'headroom_spool_read_failed' => 0,
            'headroom_spool_bytes' => $status->storage->usedBytes,
            'headroom_spool_max_bytes' => 1_000_000,
            'headroom_spool_segments' => 1,
            'headroom_spool_events' => 2,
            'headroom_spool_missing' => 0,
            'headroom_spool_dead_letters' => 1,
            'headroom_spool_paused' => 1,
            'headroom_spool_events_accepted_total' => 3 + 2 + 4 + 2 + 1,
            'headroom_spool_events_direct_total' => 2,
            'headroom_spool_events_bypassed_total' => 1,
        ] as $name => $value) {
            self::assertSame((string) $value, $this->value($printed, $name, self::BUCKET), $name);
        }

        foreach ([
            'headroom_sink_events_delivered_total' => 2 + 2 + 2 + 1,
            'headroom_sink_delivery_failures_total' => 1,
            'headroom_sink_events_retried_total' => $status->events->retried,
            'headroom_sink_events_replayed_total' => 2,
            'headroom_sink_events_dead_lettered_total' => 1 + 1,
        ] as $name => $value) {
            self::assertSame((string) $value, $this->value($printed, $name, self::SINK), $name);
        }

        self::assertSame('4', $this->value(
            $printed,
            'headroom_spool_events_dropped_total',
            [...self::BUCKET, 'reason' => 'reserve'],
        ));
        self::assertSame('1', $this->value(
            $printed,
            'headroom_spool_events_refused_total',
            [...self::BUCKET, 'reason' => 'reserve'],
        ));
        $this->assertOfMachine($printed);
    }

    private function assertOfMachine(Outcome $printed): void
    {
        $node = (string) $this->spool->runtime()->status()->node;
        self::assertSame('1', $this->value($printed, 'headroom_spool_info', ['node' => $node]));
        self::assertSame('1', $this->value(
            $printed,
            'target_info',
            ['service_name' => 'headroom', 'service_instance_id' => $node],
        ));
        self::assertSame('1', $this->value(
            $printed,
            'headroom_spool_config_info',
            [...self::SINK, 'store' => 'file', 'durability' => 'process'],
        ));
        self::assertSame('67108864', $this->value($printed, 'headroom_spool_min_free_bytes'));
        self::assertGreaterThan(0, (int) $this->value($printed, 'headroom_spool_free_bytes'));

        foreach ([
            'headroom_spool_last_flush_timestamp_seconds', 'headroom_sink_last_delivery_timestamp_seconds',
        ] as $name) {
            self::assertEqualsWithDelta(time(), (int) $this->value($printed, $name, self::BUCKET), 60, $name);
        }
    }

    /** Each number has a cause of its own. */
    private function everything(): void
    {
        $this->declare(['max_bytes' => 1_000_000]);
        $this->spool->add(2);
        $this->refused();
        $this->spool->run(FlushCommand::class);
        $this->replay();
        $this->spool->run(FlushCommand::class);
        $this->spool->settings['min_free_bytes'] = self::NO_ROOM;
        $this->spool->add(2);
        $this->declare(['overflow' => 'drop']);
        $this->spool->add(4);
        $this->declare(['overflow' => 'throw']);

        try {
            $this->spool->add(1);
            self::fail('The event was accepted.');
        } catch (Throwable $e) {
            self::assertStringContainsString('min_free_bytes', $e->getMessage());
        }

        unset($this->spool->settings['min_free_bytes']);
        $this->declare(['max_bytes' => 1_000_000]);
        $this->spool->settings['enabled'] = false;
        $this->spool->add(1);
        $this->spool->settings['enabled'] = true;
        $this->spool->add(2);
        $this->spool->database()->statement('alter table api_events rename to gone');
        $this->spool->run(FlushCommand::class);
        $this->spool->database()->statement('alter table gone rename to api_events');
        $this->spool->run(PauseCommand::class, ['bucket' => 'api-events']);
    }

    #[Test]
    public function a_counter_of_dead_letters_never_falls(): void
    {
        $this->refused();
        $this->refused();
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['2', '2'], $this->letters());

        $this->spool->run(RetryCommand::class, ['--bucket' => 'api-events']);
        self::assertSame(['2', '0'], $this->letters());

        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['4', '2'], $this->letters());

        $this->spool->run(ForgetCommand::class, ['--bucket' => 'api-events']);
        self::assertSame(['4', '0'], $this->letters());
    }

    #[Test]
    public function a_counter_of_delivered_events_never_falls(): void
    {
        $this->spool->add(5);
        $this->spool->run(FlushCommand::class, ['--limit' => '3']);
        self::assertSame('3', $this->delivered());

        $this->spool->run(FlushCommand::class);
        $this->replay();
        self::assertSame('5', $this->delivered());

        $this->spool->run(FlushCommand::class, ['--limit' => '1']);
        self::assertSame('6', $this->delivered());
    }

    #[Test]
    public function a_replay_across_dead_letters_makes_no_counter_fall(): void
    {
        $this->spool->add(3);
        $this->refused();
        $this->refused();
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['3', '2', '2'], [$this->delivered(), ...$this->letters()]);

        $this->replay();
        self::assertSame(['3', '2', '0'], [$this->delivered(), ...$this->letters()]);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['6', '4', '2'], [$this->delivered(), ...$this->letters()]);

        // A flush skips the events of letters that an operator has forgotten: they die once.
        $this->spool->run(ForgetCommand::class, ['--bucket' => 'api-events']);
        $this->replay();
        self::assertSame(['6', '4', '0'], [$this->delivered(), ...$this->letters()]);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['9', '4', '0'], [$this->delivered(), ...$this->letters()]);
    }

    #[Test]
    public function a_restored_database_makes_no_counter_fall(): void
    {
        $this->spool->add(3);
        $this->spool->run(FlushCommand::class);
        $this->spool->database()->statement('create table backup as select * from spool_ledger');
        $this->spool->add(2);
        $this->refused();
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['5', '1', '1'], [$this->delivered(), ...$this->letters()]);

        $this->spool->database()->statement('delete from spool_ledger');
        $this->spool->database()->statement('insert into spool_ledger select * from backup');
        $this->spool->run(FlushCommand::class, ['--limit' => '1']);
        self::assertSame(['6', '1', '0'], [$this->delivered(), ...$this->letters()]);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(['7', '2', '1'], [$this->delivered(), ...$this->letters()]);
    }

    private function delivered(): ?string
    {
        return $this->value($this->print(), 'headroom_sink_events_delivered_total', self::SINK);
    }

    private function replay(): void
    {
        self::assertSame(0, $this->spool->run(
            ReplayCommand::class,
            ['bucket' => 'api-events', '--from-start' => true, '--again' => true],
        )->exit);
    }

    /** @return array{?string, ?string} the counter, and those that wait */
    private function letters(): array
    {
        $printed = $this->print();

        return [
            $this->value($printed, 'headroom_sink_events_dead_lettered_total', self::SINK),
            $this->value($printed, 'headroom_spool_dead_letters', self::BUCKET),
        ];
    }

    #[Test]
    #[TestWith(['state', 'damaged'])]
    #[TestWith(['state', ''])]
    #[TestWith(['counters', 'damaged'])]
    public function a_damaged_file_is_marked_and_hides_no_other_bucket(string $file, string $content): void
    {
        $this->spool->buckets['orders'] = ['sink' => 'database', 'table' => 'api_events'];
        $this->spool->add(1);
        $this->spool->add(3, 'orders');
        $this->spool->run(FlushCommand::class, ['--limit' => '1']);
        $this->spool->settings['enabled'] = false;
        $this->spool->add(2);
        $this->spool->settings['enabled'] = true;
        file_put_contents("{$this->spool->path}/buckets/api-events/{$file}", $content);
        $printed = $this->print();

        self::assertSame(1, $printed->exit);
        self::assertSame([0, ''], Promtool::checkMetrics($printed->out));
        self::assertSame('1', $this->value($printed, 'headroom_spool_read_failed', self::BUCKET));
        self::assertSame('0', $this->value($printed, 'headroom_spool_read_failed', ['bucket' => 'orders']));
        self::assertSame('2', $this->value($printed, 'headroom_spool_events', ['bucket' => 'orders']));
        self::assertSame('1', $this->value(
            $printed,
            'headroom_sink_events_delivered_total',
            ['bucket' => 'orders'],
        ));

        // A counter without the events of a damaged file would fall, and rise again when the file is repaired.
        self::assertDoesNotMatchRegularExpression('/_total\{bucket="api-events"/', $printed->out);
    }

    #[Test]
    public function foreign_directories_and_sinks_with_strange_names_cannot_break_the_text(): void
    {
        $this->spool->add(1);
        $random = new Randomizer(new Mt19937(34));
        $pieces = ['"', '\\', "\n", "\xFF", '{', '}', ' ', 'é', '..', 'events', '"} 9'];

        for ($number = 0; $number < 50; $number++) {
            $name = "x{$number}";

            for ($i = $random->getInt(1, 6); $i > 0; $i--) {
                $name .= $pieces[$random->getInt(0, count($pieces) - 1)];
            }

            mkdir("{$this->spool->path}/buckets/{$name}");
            $this->spool->buckets["b{$number}"] = ['sink' => $name];
        }

        $printed = $this->print();
        self::assertSame([0, ''], Promtool::checkMetrics($printed->out));
        $buckets = array_filter(
            ExpositionReader::samples($printed->out),
            static fn (array $sample): bool => $sample[0] === 'headroom_spool_read_failed',
        );
        self::assertCount(51 + $this->valid(), $buckets);
    }

    /** Directories whose name is that of a bucket. */
    private function valid(): int
    {
        return count(array_filter(
            (array) scandir("{$this->spool->path}/buckets"),
            static fn (mixed $name): bool => preg_match('/\Ax[a-z0-9._-]*\z/', (string) $name) === 1,
        ));
    }

    #[Test]
    public function a_thousand_buckets_have_all_their_numbers(): void
    {
        for ($number = 0; $number < 1_000; $number++) {
            $this->spool->buckets["b{$number}"] = ['sink' => 'database', 'table' => 'api_events'];
            $this->spool->add(1, "b{$number}");
        }

        $printed = $this->print();
        self::assertSame([0, 0, ''], [$printed->exit, ...Promtool::checkMetrics($printed->out)]);

        foreach (['b0', 'b999'] as $bucket) {
            self::assertSame('1', $this->value($printed, 'headroom_spool_events', ['bucket' => $bucket]));
        }

        self::assertSame(1_001, preg_match_all('/^headroom_spool_events\{/m', $printed->out));
    }

    #[Test]
    public function it_asks_neither_the_ledger_nor_the_table_of_nodes(): void
    {
        $this->spool->createNodes();
        $this->spool->add(3);
        $this->spool->run(FlushCommand::class, ['--limit' => '2']);
        $before = $this->print()->out;
        $this->spool->database()->statement('drop table spool_ledger');
        $this->spool->database()->statement('drop table spool_nodes');
        $printed = $this->print();

        self::assertSame(0, $printed->exit);
        self::assertSame(self::withoutTimes($before), self::withoutTimes($printed->out));
        self::assertSame('2', $this->value($printed, 'headroom_sink_events_delivered_total', self::SINK));
        self::assertSame(1, $this->spool->run(StatusCommand::class)->exit);
    }

    private static function withoutTimes(string $text): string
    {
        return (string) preg_replace('/^headroom_spool_(?:oldest_age_seconds|free_bytes).*$/m', '', $text);
    }

    #[Test]
    public function before_the_first_event_it_creates_nothing(): void
    {
        $printed = $this->print();

        self::assertSame([0, ''], Promtool::checkMetrics($printed->out));
        self::assertSame('0', $this->value($printed, 'headroom_spool_events', self::BUCKET));
        self::assertDirectoryDoesNotExist($this->spool->path);
    }

    #[Test]
    public function thresholds_decide_the_exit_code_here_too(): void
    {
        $this->spool->add(3);
        $exit = fn (string $most): int => $this->spool->run(
            StatusCommand::class,
            ['--prometheus' => true, '--max-pending' => $most],
        )->exit;

        self::assertSame([0, 1], [$exit('3'), $exit('2')]);
    }

    private function print(): Outcome
    {
        return $this->spool->run(StatusCommand::class, ['--prometheus' => true]);
    }

    /** @param array<string, string> $labels */
    private function value(Outcome $printed, string $name, array $labels = []): ?string
    {
        return ExpositionReader::value($printed->out, $name, $labels);
    }

    /** @param array<string, mixed> $options */
    private function declare(array $options): void
    {
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', ...$options];
    }

    private function refused(): void
    {
        $this->spool->runtime()->buffer()->bucket('api-events')->add(['event' => 'x', 'nocolumn' => 'x']);
    }
}
