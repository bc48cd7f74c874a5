<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Tests\Laravel\Support\BrokenLog;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

#[Group('snapshot')]
final class FlushCommandTest extends SpoolTestCase
{
    #[Test]
    public function a_strange_node_file_gets_the_advice_that_helps_once(): void
    {
        $this->spool->add(1);
        $node = "{$this->spool->path}/node";
        file_put_contents($node, strtoupper(str_repeat('0a', 16)));
        $upper = $this->spool->run(FlushCommand::class)->all().$this->spool->run(HealthCommand::class)->all();
        self::assertStringContainsString('32 hex digits', $upper);
        self::assertStringNotContainsString('chmod', $upper);

        foreach ([
            $node,
            "{$this->spool->path}/buckets/api-events/active/u0-0007.log",
            "{$this->spool->path}/buckets/api-events/flush.lock",
        ] as $path) {
            @unlink($path);
            posix_mkfifo($path, 0600);
            $flushed = $this->spool->run(FlushCommand::class)->all();
            self::assertSame(1, substr_count($flushed, 'a named pipe'), $flushed);
            self::assertSame(1, substr_count($flushed, 'Find out how it came there'), $flushed);
            unlink($path);
            file_put_contents($node, str_repeat('0a', 16));
        }
    }

    #[Test]
    public function it_delivers_everything_and_says_how_much(): void
    {
        $this->spool->add(3);
        $flushed = $this->flush();

        self::assertSame([0, [3, 1], ''], [$flushed->exit, $flushed->numbers(), $flushed->err]);
        self::assertSame(3, $this->spool->count());
    }

    #[Test]
    public function without_a_declared_bucket_there_is_nothing_to_do(): void
    {
        $this->spool->buckets = [];

        self::assertSame(0, $this->flush()->exit);
        Snapshot::assertPrinted('spool:flush', 'no bucket is declared', $this->flush()->out);
    }

    #[Test]
    public function an_unwritten_bucket_is_left_untouched(): void
    {
        self::assertSame(['api-events' => 'untouched'], $this->outcomes());
        self::assertDirectoryDoesNotExist($this->spool->path);

        $this->spool->buckets['audit'] = ['sink' => 'file', 'path' => $this->spool->file('audit.ndjson')];
        $this->spool->add(1);
        $flushed = $this->flush();
        self::assertSame([1, 1], $flushed->numbers());
        self::assertSame(['api-events' => 'flushed', 'audit' => 'untouched'], $this->outcomes());
        Snapshot::assertPrinted('spool:flush', 'one bucket is untouched', $flushed->out);
        self::assertSame([], glob("{$this->spool->path}/*/audit"));
    }

    #[Test]
    public function a_wrong_name_and_an_unwritable_log_do_not_stop_the_next_bucket(): void
    {
        $this->spool->add(2);
        $this->spool->buckets = [
            'API_Events' => ['sink' => 'database', 'table' => 'x'],
            'unknown' => ['sink' => 'nowhere'],
            ...$this->spool->buckets,
        ];
        (new BrokenLog)->during(fn (): Outcome => $this->spool->run(
            FlushCommand::class,
            ['bucket' => null],
            $this->spool->runtime(log: new BrokenLog),
        ));

        self::assertSame(2, $this->spool->count());
    }

    #[Test]
    public function it_stops_at_the_limit_and_goes_on_from_there(): void
    {
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', 'batch' => 2];
        $this->spool->add(5);

        $flushed = $this->flush(['--limit' => '4']);
        self::assertSame([0, [4, 2]], [$flushed->exit, $flushed->numbers()]);
        self::assertSame(4, $this->spool->count());
        Snapshot::assertPrinted('spool:flush', 'more is waiting', $flushed->out);

        $this->flush();
        self::assertSame(5, $this->spool->count());
    }

    #[Test]
    public function it_stops_when_the_time_is_up_and_goes_on_from_there(): void
    {
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', 'batch' => 1];
        $this->spool->add(5);

        // Each delivery looks at the clock three times, and twice more if a minute of the history begins meanwhile.
        $flushed = $this->spool->run(
            FlushCommand::class,
            ['--max-time' => '2'],
            $this->spool->runtime(new SteppingClock(perLook: 210_000)),
        );
        self::assertSame([0, [3, 3]], [$flushed->exit, $flushed->numbers()]);

        $this->flush();
        self::assertSame(5, $this->spool->count());
    }

    #[Test]
    public function it_flushes_only_the_bucket_it_is_given(): void
    {
        $this->spool->createEvents('others');
        $this->spool->buckets['others'] = ['sink' => 'database', 'table' => 'others'];
        $this->spool->add(1);
        $this->spool->add(1, 'others');
        $this->flush(['bucket' => 'others']);

        self::assertSame([0, 1], [$this->spool->count(), $this->spool->count('others')]);
    }

    #[Test]
    public function a_bucket_whose_name_is_a_number_is_flushed_as_any_other(): void
    {
        $this->spool->buckets = ['2024' => ['sink' => 'database', 'table' => 'api_events']];
        $this->spool->add(1, '2024');

        self::assertSame([2024, 1, 1], $this->flush()->numbers());
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function one_bucket_s_failure_does_not_stop_the_others_and_exits_with_1(): void
    {
        $this->spool->buckets = [
            'a-broken' => ['sink' => 'database', 'table' => 'nowhere'],
            'b-broken' => ['sink' => 'pigeon'],
            'z-sound' => ['sink' => 'database', 'table' => 'api_events'],
        ];
        $this->spool->add(1, 'a-broken');
        $this->spool->add(1, 'b-broken');
        $this->spool->add(1, 'z-sound');
        $flushed = $this->flush();

        self::assertSame(1, $flushed->exit);
        self::assertSame(1, $this->spool->count());
        self::assertStringContainsString('no such table: nowhere', $flushed->err);
        self::assertMatchesRegularExpression("/spool\\.buckets\\.b-broken\\.sink .*'pigeon'/", $flushed->err);
        self::assertCount(2, $this->spool->logged);

        $this->spool->createEvents('nowhere');
        $this->flush(['--now' => true]);
        self::assertSame(1, $this->spool->count('nowhere'), 'The failed bucket kept its event.');
    }

    #[Test]
    public function a_bucket_that_another_process_flushes_is_left_to_it(): void
    {
        $this->spool->add(1);
        $lease = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($lease);

        self::assertSame([0, 'busy'], [$this->flush()->exit, $this->outcomes()['api-events'] ?? null]);
        Snapshot::assertPrinted('spool:flush', 'another process flushes it', $this->flush()->out);
    }

    #[Test]
    public function an_undeclared_bucket_is_wrong_usage_and_the_declared_ones_are_named(): void
    {
        $flushed = $this->flush(['bucket' => 'api-event']);

        self::assertSame([2, ''], [$flushed->exit, $flushed->out]);
        self::assertMatchesRegularExpression("/'api-event' .* api-events\\./", $flushed->err);
        Snapshot::assertPrinted('spool:flush', 'a bucket is not declared', $flushed->err);
    }

    #[Test]
    #[TestWith(['--limit', '0'])]
    #[TestWith(['--limit', '-1'])]
    #[TestWith(['--limit', 'many'])]
    #[TestWith(['--max-time', '1.5'])]
    #[TestWith(['--max-time', '9999999999999'])]
    public function a_wrong_number_is_wrong_usage_and_says_what_is_allowed(string $option, string $value): void
    {
        $flushed = $this->flush([$option => $value]);

        self::assertSame(2, $flushed->exit);
        self::assertMatchesRegularExpression("/{$option} .*'{$value}'.* 1 .* 999999999999/", $flushed->err);
    }

    #[Test]
    public function a_wrong_configuration_is_one_line_and_exits_with_1(): void
    {
        $this->spool->settings['retention'] = 'long';
        $flushed = $this->flush();

        self::assertSame(1, $flushed->exit);
        self::assertMatchesRegularExpression(
            "/\\A.*spool\\.retention .*'long'.* 0 .* 31536000.*\\n\\z/",
            $flushed->err,
        );
    }

    #[Test]
    public function it_cleans_up_what_was_delivered_long_enough_ago(): void
    {
        $this->spool->settings['retention'] = 0;

        for ($i = 0; $i < 3; $i++) {
            $this->spool->add(1);
            $this->flush();
        }

        self::assertCount(
            1,
            (array) glob("{$this->spool->path}/*/api-events/completed/*.seg"),
            'The newest one always stays.',
        );
    }

    /** @return array<array-key, mixed> by bucket, of one more flush */
    private function outcomes(): array
    {
        $document = json_decode($this->flush(['--json' => true])->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);
        self::assertIsArray($document['buckets']);

        return array_column($document['buckets'], 'outcome', 'bucket');
    }

    /** @param array<string, mixed> $input */
    private function flush(array $input = []): Outcome
    {
        return $this->spool->run(FlushCommand::class, $input);
    }
}
