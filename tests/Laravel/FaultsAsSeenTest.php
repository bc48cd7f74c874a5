<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Lines of docs/failure-model.md from the fault to what an operator sees of it and does.
 */
#[Group('snapshot')]
final class FaultsAsSeenTest extends SpoolTestCase
{
    #[Test]
    #[TestDox('PHP process killed before the client has the response')]
    public function an_event_whose_response_was_cut_off_is_delivered_once(): void
    {
        $app = ScratchApplication::onThisCheckout();
        $app->config('spool', "['buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]");
        $app->migrate();
        $app->write('routes/api.php', <<<'PHP'
            <?php

            Illuminate\Support\Facades\Route::get('/cut-off', function (): void {
                Headroom\Laravel\Facades\Buffer::bucket('api-events')->addMany([['event' => 'one'], ['event' => 'two']]);
                Headroom\Laravel\Facades\Buffer::bucket('api-events')->add(['event' => 'three']);
                header('Content-Length: 100');
                echo 'half of it';
                ob_get_level() > 0 && ob_end_flush();
                flush();
                posix_kill(getmypid(), SIGKILL);
            });
            PHP);
        $server = $app->serve();

        try {
            $said = (string) @file_get_contents("{$server->url()}/cut-off");
            self::assertLessThan(100, strlen($said), 'The answer never came whole.');
            self::assertStringNotContainsString('xception', $said);
        } finally {
            $server->stop();
        }

        try {
            self::assertSame([3, 1], $app->artisan('spool:flush')->numbers());
            self::assertSame(
                ['one', 'two', 'three'],
                array_column($app->rows('select event from api_events order by id'), 'event'),
            );
        } finally {
            $app->remove();
        }
    }

    #[Test]
    #[TestDox('database down')]
    public function a_database_that_is_down_is_told_by_every_command_and_loses_nothing(): void
    {
        $this->spool->connect('gone', '.');
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', 'connection' => 'gone'];
        $this->spool->add(3);

        for ($failures = 1; $failures <= 6; $failures++) {
            $flushed = $this->spool->run(FlushCommand::class, ['--now' => true]);
            self::assertSame(1, $flushed->exit);
            self::assertSame(3, $this->spool->status()['pending']);
            Snapshot::assertPrinted('spool:flush', 'the database is down', $flushed->err);
        }

        self::assertCount(2, $this->spool->logged, 'Once when it begins, and once when it goes on.');
        self::assertMatchesRegularExpression("/^spool: .*'api-events'/", $this->spool->logged[0]);
        self::assertMatchesRegularExpression("/^spool: .*'api-events'.*\\b5\\b/", $this->spool->logged[1]);
        Snapshot::assertPrinted('the log', 'a database is down', implode("\n", $this->spool->logged));

        $later = new SteppingClock;
        $later->sleep(7_200_000_000);

        foreach ([
            'spool:status' => StatusCommand::class,
            'spool:health' => HealthCommand::class,
        ] as $name => $command) {
            $told = $this->spool->run($command, [], $this->spool->runtime($later));
            self::assertSame(1, $told->exit);
            self::assertStringContainsString(': 6 ', $told->out);
            Snapshot::assertPrinted($name, 'a database is down', $told->out);
        }

        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events'];
        self::assertSame([3, 1], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
        $ended = array_slice($this->logged(), 2);
        self::assertCount(1, $ended, 'Once when it ends.');
        Snapshot::assertPrinted('the log', 'a database is back', implode("\n", $ended));
        self::assertSame([3, 0], [$this->spool->count(), $this->spool->run(HealthCommand::class)->exit]);
    }

    #[Test]
    #[TestDox('flipped bit')]
    public function a_flipped_bit_costs_one_call_and_its_bytes_are_kept(): void
    {
        $this->spool->add(5);
        [$slot] = $this->glob('active/*.log');
        $bytes = (string) file_get_contents($slot);
        $bytes[(int) strpos($bytes, 'event-2')] = chr(ord('e') ^ 4);
        file_put_contents($slot, $bytes);
        self::assertSame(1, $this->spool->run(VerifyCommand::class)->exit);
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame([0, [4, 1]], [$flushed->exit, $flushed->numbers()]);
        $copy = $this->glob('quarantine/*.bin')[0];
        self::assertStringContainsString($copy, $flushed->err);
        self::assertStringContainsString($copy, $this->spool->logged[0]);
        self::assertStringContainsString('avent-2', (string) file_get_contents($copy));
        self::assertSame(1, $this->spool->status()['damaged']);
        Snapshot::assertPrinted('spool:flush', 'a bit is flipped', $flushed->all());
        Snapshot::assertPrinted('spool:status', 'a bit is flipped', $this->spool->run(StatusCommand::class)->out);
    }

    #[Test]
    #[TestDox('segment file removed or copied')]
    public function a_segment_counts_once_and_a_lost_one_is_missing_to_the_event(): void
    {
        $sent = $this->segments(3);
        copy($this->glob('completed/*')[0], "{$this->bucket()}/sealed/".basename($this->glob('completed/*')[0]));
        $this->spool->add(1);
        self::assertSame(
            [1, 1],
            $this->spool->run(FlushCommand::class)->numbers(),
            'The copy has the number of what was delivered.',
        );
        self::assertSame($sent + 1, $this->spool->count());

        // Under a number of its own it is another segment, as far as a flush can tell.
        copy($this->glob('completed/*')[0], "{$this->bucket()}/sealed/00000000000000000009.seg");
        $verified = $this->spool->run(VerifyCommand::class);
        self::assertSame(1, $verified->exit);
        self::assertMatchesRegularExpression('/^WRONG .*0{19}9\.seg: .*0{19}1\.seg/m', $verified->out);
        unlink("{$this->bucket()}/sealed/00000000000000000009.seg");
        self::assertSame(0, $this->spool->run(VerifyCommand::class)->exit);

        $this->pending(2);
        unlink($this->glob('sealed/*')[0]);
        $flushed = $this->spool->run(FlushCommand::class, ['--now' => true]);
        self::assertStringContainsString('.seg', $flushed->err);
        $status = $this->spool->run(StatusCommand::class);
        self::assertSame([1, 1], [$status->exit, $this->spool->status()['missing']]);
        Snapshot::assertPrinted('spool:flush', 'a segment is gone', $flushed->all());
        Snapshot::assertPrinted('spool:status', 'a segment is gone', $status->out);
    }

    #[Test]
    #[TestDox("caller's transaction rolled back")]
    public function buffered_events_stay_when_the_callers_transaction_is_rolled_back(): void
    {
        $database = $this->spool->database();
        $database->beginTransaction();
        $this->spool->add(2);
        $database->table('api_events')->insert(['event' => 'theirs']);
        $database->rollBack();
        $this->spool->run(FlushCommand::class);

        self::assertSame(['event-0', 'event-1'], $database->table('api_events')->orderBy('id')->pluck('event')->all());
    }

    /** @return int how many events were sent, one to a segment */
    private function segments(int $count): int
    {
        for ($i = 0; $i < $count; $i++) {
            $this->spool->add(1);
            $this->spool->run(FlushCommand::class);
        }

        return $count;
    }

    /** Segments of one event each that wait. */
    private function pending(int $count): void
    {
        $this->spool->database()->statement('alter table api_events rename to elsewhere');

        for ($i = 0; $i < $count; $i++) {
            $this->spool->add(1);
            self::assertSame(1, $this->spool->run(FlushCommand::class, ['--now' => true])->exit);
        }

        $this->spool->database()->statement('alter table elsewhere rename to api_events');
    }

    /** @return list<string> */
    private function logged(): array
    {
        return $this->spool->logged;
    }

    private function bucket(): string
    {
        return "{$this->spool->path}/buckets/api-events";
    }

    /** @return non-empty-list<string> */
    private function glob(string $pattern): array
    {
        $paths = glob("{$this->bucket()}/{$pattern}");
        self::assertIsArray($paths);
        self::assertNotSame([], $paths);

        return $paths;
    }
}
