<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Cli\Spool\FlushCommand;
use Headroom\Tests\Laravel\Support\BrokenLog;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class FlushCommandTest extends TestCase
{
    private Spool $spool;

    protected function setUp(): void
    {
        $this->spool = new Spool;
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function it_delivers_everything_and_says_how_much(): void
    {
        $this->spool->add(3);
        $flushed = $this->flush();

        self::assertSame([0, "api-events: 3 delivered in 1 batch\n", ''], [$flushed->exit, $flushed->out, $flushed->err]);
        self::assertSame(3, $this->spool->count());
    }

    #[Test]
    public function without_a_declared_bucket_there_is_nothing_to_do(): void
    {
        $this->spool->buckets = [];

        self::assertSame([0, "No bucket is declared in config/spool.php, so there is nothing to flush.\n"], [$this->flush()->exit, $this->flush()->out]);
    }

    #[Test]
    public function a_bucket_nobody_has_written_to_is_left_untouched(): void
    {
        self::assertSame("api-events: nothing has been buffered yet\n", $this->flush()->out);
        self::assertDirectoryDoesNotExist($this->spool->path);

        $this->spool->buckets['audit'] = ['sink' => 'file', 'path' => $this->spool->file('audit.ndjson')];
        $this->spool->add(1);
        self::assertSame("api-events: 1 delivered in 1 batch\naudit: nothing has been buffered yet\n", $this->flush()->out);
        self::assertSame([], glob("{$this->spool->path}/*/audit"));
    }

    #[Test]
    public function neither_a_wrong_name_nor_a_log_that_can_not_be_written_keeps_the_next_bucket_waiting(): void
    {
        $this->spool->add(2);
        $this->spool->buckets = [
            'API_Events' => ['sink' => 'database', 'table' => 'x'],
            'unknown' => ['sink' => 'nowhere'],
            ...$this->spool->buckets,
        ];
        (new BrokenLog)->during(fn (): Outcome => $this->spool->run(FlushCommand::class, ['bucket' => null], $this->spool->runtime(log: new BrokenLog)));

        self::assertSame(2, $this->spool->count());
    }

    #[Test]
    public function it_stops_at_the_limit_and_goes_on_from_there(): void
    {
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', 'batch' => 2];
        $this->spool->add(5);

        $flushed = $this->flush(['--limit' => '4']);
        self::assertSame([0, "api-events: 4 delivered in 2 batches, more is waiting\n"], [$flushed->exit, $flushed->out]);
        self::assertSame(4, $this->spool->count());

        $this->flush();
        self::assertSame(5, $this->spool->count());
    }

    #[Test]
    public function it_stops_when_the_time_is_up_and_goes_on_from_there(): void
    {
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', 'batch' => 1];
        $this->spool->add(5);

        // Half a second passes before each delivery.
        $flushed = $this->spool->run(FlushCommand::class, ['--max-time' => '2'], $this->spool->runtime(new SteppingClock(perLook: 500_000)));
        self::assertSame([0, "api-events: 3 delivered in 3 batches, more is waiting\n"], [$flushed->exit, $flushed->out]);

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

        self::assertSame("2024: 1 delivered in 1 batch\n", $this->flush()->out);
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function one_bucket_s_failure_does_not_stop_the_others_and_exits_with_1(): void
    {
        $this->spool->buckets = ['a-broken' => ['sink' => 'database', 'table' => 'nowhere'], 'b-broken' => ['sink' => 'pigeon'], 'z-sound' => ['sink' => 'database', 'table' => 'api_events']];
        $this->spool->add(1, 'a-broken');
        $this->spool->add(1, 'b-broken');
        $this->spool->add(1, 'z-sound');
        $flushed = $this->flush();

        self::assertSame(1, $flushed->exit);
        self::assertSame(1, $this->spool->count());
        self::assertStringContainsString('no such table: nowhere', $flushed->err);
        self::assertStringContainsString("Config spool.buckets.b-broken.sink is 'pigeon'. It must be one of database, file, call, http, elasticsearch, clickhouse, memory, or the name of a class that implements Headroom\Sink\Sink.", $flushed->err);
        self::assertCount(2, $this->spool->logged);

        $this->spool->createEvents('nowhere');
        $this->flush(['--now' => true]);
        self::assertSame(1, $this->spool->count('nowhere'), 'The failed bucket kept its event.');
    }

    #[Test]
    public function a_bucket_that_another_process_flushes_is_left_to_it(): void
    {
        $this->spool->add(1);
        $claim = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($claim);

        self::assertSame([0, "api-events: another process is flushing it\n"], [$this->flush()->exit, $this->flush()->out]);
    }

    #[Test]
    public function an_undeclared_bucket_is_wrong_usage_and_the_declared_ones_are_named(): void
    {
        $flushed = $this->flush(['bucket' => 'api-event']);

        self::assertSame([2, ''], [$flushed->exit, $flushed->out]);
        self::assertSame("Bucket 'api-event' is not declared in config/spool.php, so nothing says where its events go. Declared: api-events.\n", $flushed->err);
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

        self::assertSame([2, "{$option} is '{$value}'. It must be a whole number from 1 to 999999999999.\n"], [$flushed->exit, $flushed->err]);
    }

    #[Test]
    public function a_wrong_configuration_is_one_line_and_exits_with_1(): void
    {
        $this->spool->settings['completed_ttl'] = 'long';
        $flushed = $this->flush();

        self::assertSame([1, "Config spool.completed_ttl is 'long'. It must be a whole number from 0 to 31536000.\n"], [$flushed->exit, $flushed->err]);
    }

    #[Test]
    public function it_cleans_up_what_was_delivered_long_enough_ago(): void
    {
        $this->spool->settings['completed_ttl'] = 0;

        for ($i = 0; $i < 3; $i++) {
            $this->spool->add(1);
            $this->flush();
        }

        self::assertCount(1, (array) glob("{$this->spool->path}/*/api-events/completed/*.seg"), 'The newest one always stays.');
    }

    /** @param array<string, mixed> $input */
    private function flush(array $input = []): Outcome
    {
        return $this->spool->run(FlushCommand::class, $input);
    }
}
