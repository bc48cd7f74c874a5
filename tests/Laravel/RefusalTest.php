<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Core\Finding;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Health\Health;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * How an application and its operator learn of events that the buffer cannot accept.
 */
#[Group('snapshot')]
final class RefusalTest extends TestCase
{
    /** So much free disk no machine has: a pebibyte. */
    private const NO_ROOM = 1_125_899_906_842_624;

    private ?Spool $spool = null;

    private ?ScratchApplication $app = null;

    protected function tearDown(): void
    {
        $this->spool?->remove();
        $this->app?->remove();
    }

    #[Test]
    public function status_shows_what_was_direct_dropped_and_refused(): void
    {
        $spool = $this->spool('direct');
        $spool->add(1);
        $spool->run(FlushCommand::class);
        $spool->settings['min_free_bytes'] = self::NO_ROOM;
        $spool->add(2);
        $spool->buckets = self::buckets(['overflow' => 'drop']);
        $spool->add(3);
        $spool->buckets = self::buckets(['overflow' => 'throw']);
        $this->assertRefused($spool);

        $out = $spool->run(StatusCommand::class)->out;
        self::assertMatchesRegularExpression('/^api-events +database +6 +3 +0 +3 +0 +$/m', $out);
        Snapshot::assertPrinted('spool:status', 'events were refused, dropped and sent directly', $out);

        $bucket = $this->json($spool);
        self::assertSame(
            [6, 3, 2, 3, 0],
            [$bucket['accepted'], $bucket['delivered'], $bucket['direct'], $bucket['dropped'], $bucket['missing']],
        );
        self::assertSame(
            [['reserve' => 3], ['reserve' => 1], 'reserve'],
            [$bucket['dropped_by_reason'], $bucket['refused_by_reason'], $bucket['refusing']],
        );
    }

    #[Test]
    public function counts_that_are_empty_are_an_object_too(): void
    {
        $spool = $this->spool('direct');
        $spool->add(1);

        self::assertStringContainsString(
            '"dropped_by_reason": {}',
            $spool->run(StatusCommand::class, ['--json' => true])->out,
        );
    }

    #[Test]
    public function health_fails_while_a_bucket_refuses_and_says_what_to_do(): void
    {
        $spool = $this->spool('throw');
        $spool->add(1);
        $spool->run(FlushCommand::class);
        $spool->settings['min_free_bytes'] = self::NO_ROOM;
        $this->assertRefused($spool);

        $health = $spool->run(HealthCommand::class);
        self::assertSame(1, $health->exit);
        Snapshot::assertPrinted('spool:health', 'the reserve is reached', $health->out);
        [$disk, $incident] = $spool->problems();
        self::assertStringContainsString('min_free_bytes', $disk->message);
        self::assertStringContainsString('1125899906842624', $disk->message);
        self::assertMatchesRegularExpression('/\(reserve\).* \d{4}-.* UTC: 1 /', $incident->message);
        self::assertStringContainsString('spool:clean --older-than=0', $incident->fix);

        unset($spool->settings['min_free_bytes']);
        self::assertCount(1, $spool->problems());
        $later = new SteppingClock;
        $later->sleep(60_000_000);
        self::assertSame([], (new Health($spool->runtime($later)))->findings());
    }

    #[Test]
    #[TestDox('quota reached')]
    #[TestWith([79_000, null])]
    #[TestWith([81_000, false])]
    #[TestWith([101_000, true])]
    public function a_nearly_full_quota_is_noted_and_a_full_one_fails(int $bytes, ?bool $fatal): void
    {
        $spool = $this->spool('throw');
        $spool->buckets = self::buckets(['overflow' => 'throw', 'max_bytes' => 100_000]);

        // The second one goes into a slot that has begun.
        foreach ([40_000, $bytes - 40_200] as $length) {
            $spool->runtime()->buffer()->bucket('api-events')->add(['event' => str_repeat('x', $length)]);
        }

        $problems = $spool->problems();

        self::assertSame(
            $fatal === null ? [] : [$fatal],
            array_map(static fn (Finding $problem): bool => $problem->fatal, $problems),
        );

        if ($fatal !== null) {
            self::assertMatchesRegularExpression('/\d+ %.*\b100000\b/', $problems[0]->message);
        }

        self::assertSame(100_000, $this->json($spool)['max_bytes']);
        $spool->run(FlushCommand::class);
        self::assertSame([], $spool->problems());
        self::assertSame(0, $this->json($spool)['used_bytes']);
    }

    #[Test]
    public function a_flush_tells_the_end_of_an_incident(): void
    {
        $spool = $this->spool('direct');
        $spool->add(1);
        $spool->run(FlushCommand::class);
        $spool->settings['min_free_bytes'] = self::NO_ROOM;
        $spool->add(5);
        $later = new SteppingClock;
        $later->sleep(61_000_000);
        $spool->run(FlushCommand::class, [], $spool->runtime($later));
        $logged = implode("\n", $spool->logged);

        self::assertCount(2, $spool->logged, 'The first refusal, and the end.');
        self::assertStringContainsString('(reserve)', $spool->logged[0]);
        self::assertMatchesRegularExpression('/\b5\b/', $spool->logged[1]);
        Snapshot::assertPrinted('the log', 'an incident begins and ends', $logged);
    }

    #[Test, Group('day-2')]
    #[TestDox("caller's transaction rolled back")]
    #[TestWith(['commit', 2, 2, 0])]
    #[TestWith(['rollback', 0, 0, 2])]
    #[TestWith(['savepoint', 1, 1, 1])]
    #[TestWith(['exit', 0, 0, 2])]
    public function in_an_application_they_share_the_fate_of_the_callers_transaction(
        string $end,
        int $rows,
        int $direct,
        int $dropped,
    ): void {
        $app = $this->application();
        $this->full($app);
        unlink($app->path('storage/heard'));
        $outcome = $app->artisan('app:transact', $end);
        self::assertSame(0, $outcome->exit, $outcome->all());

        self::assertCount(1 + $rows, $app->rows('select id from api_events'));
        $heard = explode("\n", trim((string) file_get_contents($app->path('storage/heard'))));
        self::assertSame('end', array_pop($heard), 'What there was to tell was told while there was a log.');
        sort($heard);
        self::assertSame([...($direct > 0 ? ['direct 1'] : []), ...($dropped > 0 ? ['rolled_back 1'] : [])], $heard);

        $bucket = $this->statusOf($app);
        self::assertSame(
            [1 + $direct + $dropped, 1 + $direct, $direct, $dropped, 0],
            [$bucket['accepted'], $bucket['delivered'], $bucket['direct'], $bucket['dropped'], $bucket['missing']],
        );
        self::assertSame($dropped === 0 ? [] : ['rolled_back' => $dropped], $bucket['dropped_by_reason']);
        $told = preg_match_all("/spool: .*'api-events' .*\\(reserve\\)/", $app->log());
        self::assertSame(($direct > 0 ? 1 : 0) + ($dropped > 0 ? 1 : 0), $told, $app->log());
    }

    #[Test]
    public function a_request_gets_its_answer_although_the_buffer_is_full(): void
    {
        $app = $this->application();
        $this->full($app);
        $outcome = $app->artisan('app:buffer', '3');

        self::assertSame(0, $outcome->exit, $outcome->all());
        self::assertCount(4, $app->rows('select id from api_events'));
    }

    private function application(): ScratchApplication
    {
        $this->app = $app = ScratchApplication::onThisCheckout();
        $app->write('routes/console.php', file_get_contents($app->path('routes/console.php')).<<<'PHP'

            use Headroom\Spool\Events\BufferRefused;
            use Illuminate\Support\Facades\DB;
            use Illuminate\Support\Facades\Event;

            // PHP ends what is global first of all objects, and a log that has ended takes nothing any more.
            $GLOBALS['witness'] = new class
            {
                public function __destruct()
                {
                    file_put_contents(storage_path('heard'), "end\n", FILE_APPEND);
                }
            };

            Event::listen(BufferRefused::class, fn (BufferRefused $event) => file_put_contents(storage_path('heard'), "{$event->outcome->value} {$event->count}\n", FILE_APPEND));

            Artisan::command('app:transact {end}', function (string $end): void {
                DB::beginTransaction();
                Buffer::bucket('api-events')->add(['event' => 'one']);
                $end === 'savepoint' ? DB::beginTransaction() : null;
                Buffer::bucket('api-events')->add(['event' => 'two']);

                if ($end === 'exit') {
                    exit(0);
                }

                $end === 'commit' ? DB::commit() : DB::rollBack();
                $end === 'savepoint' ? DB::commit() : null;
            });

            PHP);
        $this->configure($app, 0);
        $app->migrate();

        return $app;
    }

    private function full(ScratchApplication $app): void
    {
        foreach (['app:buffer 1', 'spool:flush'] as $command) {
            $outcome = $app->artisan(...explode(' ', $command));
            self::assertSame(0, $outcome->exit, $outcome->all());
        }

        $this->configure($app, self::NO_ROOM);
    }

    private function configure(ScratchApplication $app, int $reserve): void
    {
        $app->config(
            'spool',
            "['min_free_bytes' => {$reserve}, 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
    }

    /** @return array<mixed> */
    private function statusOf(ScratchApplication $app): array
    {
        return $this->bucket($app->artisan('spool:status', '--json')->out);
    }

    private function spool(string $policy): Spool
    {
        return $this->spool = new Spool(self::buckets(['overflow' => $policy]));
    }

    /**
     * @param array<string, mixed> $options
     * @return array<string, mixed>
     */
    private static function buckets(array $options): array
    {
        return ['api-events' => ['sink' => 'database', 'table' => 'api_events', ...$options]];
    }

    private function assertRefused(Spool $spool): void
    {
        try {
            $spool->add(1);
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            self::assertSame(AppendFailure::Reserve, $e->failure);
        }
    }

    /** @return array<mixed> */
    private function json(Spool $spool): array
    {
        return $this->bucket($spool->run(StatusCommand::class, ['--json' => true])->out);
    }

    /** @return array<mixed> */
    private function bucket(string $json): array
    {
        $status = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        $buckets = is_array($status) ? $status['buckets'] ?? null : null;
        $bucket = is_array($buckets) ? $buckets[0] ?? null : null;
        self::assertIsArray($bucket, $json);

        return $bucket;
    }
}
