<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

#[Group('snapshot')]
final class StatusCommandTest extends SpoolTestCase
{
    #[Test]
    public function json_tells_where_every_event_is(): void
    {
        $this->spool->add(3);
        $this->spool->run(FlushCommand::class, ['--limit' => '2']);
        $this->spool->add(2);

        $status = $this->json();
        self::assertSame(
            ['node', 'path', 'enabled', 'pending', 'oldest_seconds', 'buckets', 'problems'],
            array_keys($status),
        );
        self::assertSame([3, $this->spool->path], [$status['pending'], $status['path']]);
        self::assertIsString($status['node']);
        self::assertSame(
            [
                'bucket' => 'api-events',
                'sink' => 'database',
                'accepted' => 5,
                'delivered' => 2,
                'dead' => 0,
                'dropped' => 0,
                'pending' => 3,
                'missing' => 0,
            ],
            array_slice($this->bucket($status), 0, 8),
        );
        self::assertSame([], $this->bucket($status)['held']);
        self::assertNull($this->bucket($status)['error']);
    }

    #[Test]
    public function the_status_before_the_first_event_makes_no_directory(): void
    {
        $status = $this->json();

        self::assertNull($status['node']);
        self::assertSame(0, $this->bucket($status)['accepted']);
        self::assertDirectoryDoesNotExist($this->spool->path);

        $this->spool->buckets = [];
        self::assertSame([], $this->json()['buckets']);
        $status = $this->show();
        self::assertSame(0, $status->exit);
        Snapshot::assertPrinted('spool:status', 'no bucket is declared', $status->out);
    }

    #[Test]
    public function the_thresholds_decide_the_exit_code(): void
    {
        $this->spool->add(3);

        self::assertSame(0, $this->show(['--max-pending' => '3'])->exit);
        $over = $this->show(['--max-pending' => '2']);
        self::assertSame(1, $over->exit);
        self::assertStringContainsString('3 pending events, more than --max-pending=2.', $over->out);

        $later = new SteppingClock;
        $later->sleep(100_000_000);
        self::assertSame(
            0,
            $this->spool->run(StatusCommand::class, ['--max-age' => '150'], $this->spool->runtime($later))->exit,
        );
        self::assertSame(
            1,
            $this->spool->run(StatusCommand::class, ['--max-age' => '50'], $this->spool->runtime($later))->exit,
        );

        $this->spool->run(FlushCommand::class);
        self::assertSame(0, $this->show(['--max-pending' => '0', '--max-age' => '0'])->exit);
    }

    private function later(int $seconds, string ...$options): Outcome
    {
        $clock = new SteppingClock;
        $clock->sleep($seconds * 1_000_000);

        return $this->spool->run(
            StatusCommand::class,
            array_fill_keys($options, true),
            $this->spool->runtime($clock),
        );
    }

    #[Test]
    public function it_exits_with_1_when_nothing_has_delivered_for_five_minutes(): void
    {
        $this->spool->add(1);
        self::assertSame(0, $this->later(290)->exit);
        $late = $this->later(310);
        self::assertSame(1, $late->exit);
        self::assertMatchesRegularExpression(
            '~^api-events: its oldest event has been waiting for 5 minutes:.* `spool:flush api-events`.*'
                .'`schedule:work`.*docs/errors\.md#nothing-delivers\.$~m',
            $late->out,
        );

        $json = json_decode($this->later(310, '--json')->out, true);
        self::assertIsArray($json);
        self::assertIsArray($json['problems']);
        self::assertSame('bucket api-events', ((array) $json['problems'][0])['subject']);
    }

    #[Test]
    public function health_says_in_the_first_minutes_that_no_flush_has_run(): void
    {
        $this->spool->add(1);
        $health = function (int $seconds): Outcome {
            $clock = new SteppingClock;
            $clock->sleep($seconds * 1_000_000);

            return $this->spool->run(HealthCommand::class, [], $this->spool->runtime($clock));
        };
        self::assertStringNotContainsString('no flush has delivered', $health(60)->out);
        self::assertStringContainsString('no flush has delivered any yet', $health(90)->out);
        self::assertSame(0, $health(90)->exit);

        $this->spool->run(FlushCommand::class);
        $this->spool->add(1);
        self::assertStringNotContainsString('no flush has delivered', $health(90)->out);
    }

    #[Test]
    public function max_age_replaces_the_five_minutes(): void
    {
        $this->spool->add(1);
        $clock = new SteppingClock;
        $clock->sleep(1000 * 1_000_000);
        $runtime = $this->spool->runtime($clock);

        $lax = $this->spool->run(StatusCommand::class, ['--max-age' => '2000'], $runtime);
        self::assertSame(0, $lax->exit);
        self::assertStringNotContainsString('has been waiting', $lax->out);
        self::assertSame(1, $this->spool->run(StatusCommand::class, ['--max-age' => '999'], $runtime)->exit);
    }

    #[Test]
    public function a_bucket_that_waits_on_purpose_is_not_late_but_max_age_counts_it(): void
    {
        $this->spool->add(1);
        $this->spool->runtime()->store()->pauses()->pause('api-events', new DateTimeImmutable);
        self::assertSame(0, $this->later(86_400)->exit);
        $this->spool->runtime()->store()->pauses()->resume('api-events');
        self::assertSame(1, $this->later(86_400)->exit);

        foreach ([['schedule' => sprintf('0 0 1 %d *', (idate('n') + 5) % 12 + 1)], []] as $options) {
            $this->spool->buckets = ['api-events' => ['sink' => 'database', 'table' => 'api_events', ...$options]];
            $this->spool->settings = $options === [] ? ['autoflush' => 60] : [];
            self::assertSame(0, $this->later(3600)->exit);
        }

        self::assertSame(1, $this->later(86_500)->exit);
    }

    #[Test]
    #[TestWith(['--max-pending', 'few'])]
    #[TestWith(['--max-age', '-1'])]
    #[TestWith(['--max-missing', 'some'])]
    #[TestWith(['--max-dead-letters', '1.5'])]
    public function a_wrong_number_is_wrong_usage(string $option, string $value): void
    {
        $status = $this->show([$option => $value]);

        self::assertSame(2, $status->exit);
        Sentence::assertNames([$option, "'{$value}'", '0', '999999999999'], $status->err);
    }

    #[Test]
    public function it_exits_with_1_for_as_long_as_a_bucket_is_not_delivered(): void
    {
        $this->spool->add(2);
        self::assertSame(0, $this->show()->exit);
        $this->spool->database()->statement('alter table api_events rename to elsewhere');
        self::assertSame(1, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame([1, 1], [$this->show()->exit, $this->show(['--json' => true])->exit]);

        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        self::assertSame(0, $this->spool->run(FlushCommand::class, ['--now' => true])->exit);
        self::assertSame(0, $this->show()->exit);
    }

    #[Test]
    public function a_segment_that_was_removed_is_missing_to_the_event(): void
    {
        $this->spool->add(4);
        $this->spool->database()->statement('alter table api_events rename to elsewhere');
        $this->spool->run(FlushCommand::class);
        $segments = (array) glob("{$this->spool->path}/*/api-events/sealed/*.seg");
        self::assertCount(1, $segments);
        unlink((string) $segments[0]);

        $status = $this->show();
        self::assertSame(1, $status->exit);
        self::assertMatchesRegularExpression('/^api-events: 4 /m', $status->out);
        self::assertSame(4, $this->bucket($this->json())['missing']);

        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class, ['--now' => true]);
        $this->spool->run(FlushCommand::class);
        self::assertSame([1, 1, 0], [
            $this->show()->exit,
            $this->show(['--max-missing' => '3'])->exit,
            $this->show(['--max-missing' => '4'])->exit,
        ]);
    }

    #[Test]
    public function events_in_an_undeclared_bucket_are_shown_and_an_alarm(): void
    {
        $this->spool->add(1, 'forgotten');
        $status = $this->show();

        self::assertSame(1, $status->exit);
        self::assertMatchesRegularExpression('~^forgotten: .*spool\.buckets~m', $status->out);
        Snapshot::assertPrinted('spool:status', 'a bucket is not declared', $status->out);
    }

    #[Test]
    public function a_bucket_without_readable_numbers_is_not_called_undeclared(): void
    {
        $this->spool->add(1);
        file_put_contents("{$this->spool->path}/buckets/api-events/state", 'damaged');
        $this->spool->buckets['wrong'] = ['sink' => 'database', 'table' => 7];
        $status = $this->spool->run(StatusCommand::class);

        self::assertSame(1, $status->exit);
        /** @var array{buckets: list<array{sink: ?string, error: ?string}>} $document */
        $document = $this->json();
        self::assertSame(['database', 'database'], array_column($document['buckets'], 'sink'), 'Both are declared.');
        [$damaged, $wrong] = array_column($document['buckets'], 'error');
        Sentence::assertNames(["{$this->spool->path}/buckets/api-events/state"], (string) $damaged);
        Sentence::assertNames(['spool.buckets.wrong.table', '7'], (string) $wrong);
        self::assertStringContainsString("\napi-events: {$damaged}\nwrong: {$wrong}\n", $status->out);
    }

    #[Test]
    public function an_unreadable_ledger_is_named_and_exits_with_1(): void
    {
        $this->spool->add(1);
        $this->spool->database()->statement('drop table spool_ledger');
        $status = $this->show();

        self::assertSame(1, $status->exit);
        self::assertStringContainsString('no such table: spool_ledger', $status->out);
    }

    #[Test]
    public function it_names_the_pid_that_holds_a_slot_for_over_a_minute(): void
    {
        if (! is_readable('/proc/locks')) {
            self::markTestSkipped('There is no /proc/locks here to see holders in.');
        }

        $this->spool->add(1);
        $slot = (string) ((array) glob("{$this->spool->path}/*/api-events/active/*.log"))[0];
        $input = new InputStream;
        $holder = new Process(
            [
                Programs::php(),
                '-n',
                '-r',
                '$f = fopen($argv[1], "a"); flock($f, LOCK_EX); echo getmypid(), "\n"; fgets(STDIN);',
                '--',
                $slot,
            ],
            timeout: 60,
        );
        $holder->setInput($input);
        $holder->start();
        Printed::by($holder, "\n");

        self::assertSame([], $this->held(), 'Written to a moment ago.');
        touch($slot, (int) filemtime($slot) - 300);
        $held = $this->held();
        self::assertCount(1, $held);
        $words = is_string($held[0]) ? $held[0] : '';
        $pid = trim($holder->getOutput());
        self::assertMatchesRegularExpression("/ u\d+-0000\.log .* {$pid} .* 3\d\d s\b/", $words);
        Snapshot::assertPrinted('spool:status', 'a slot is held', $words);

        $input->close();
        $holder->wait();
        self::assertSame([], $this->held(), 'Nobody holds it any more.');
    }

    /** @param array<string, mixed> $input */
    private function show(array $input = []): Outcome
    {
        return $this->spool->run(StatusCommand::class, $input);
    }

    /**
     * @return array<mixed>
     *
     * @phpstan-impure
     */
    private function held(): array
    {
        $held = $this->bucket($this->json())['held'];
        self::assertIsArray($held);

        return $held;
    }

    /** @return array<mixed> */
    private function json(): array
    {
        $status = json_decode($this->show(['--json' => true])->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($status);

        return $status;
    }

    /**
     * @param array<mixed> $status
     * @return array<mixed>
     */
    private function bucket(array $status): array
    {
        $buckets = $status['buckets'] ?? null;
        $bucket = is_array($buckets) && count($buckets) === 1 ? $buckets[0] ?? null : null;
        self::assertIsArray($bucket);

        return $bucket;
    }
}
