<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Json;

use Headroom\Bench\Machine;
use Headroom\Bench\PairedComparison;
use Headroom\Bench\Preload\PageCost;
use Headroom\Bench\Preload\PageRate;
use Headroom\Bench\Preload\PoolFacts;
use Headroom\Bench\Preload\PreloadFinding;
use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Report\QueuesDocument;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Finding as QueueFinding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Samples;
use Headroom\Console\Preload\BenchReport;
use Headroom\Console\Preload\GeneratedReport;
use Headroom\Console\Preload\StatusReport as PreloadStatus;
use Headroom\Core\SystemClock;
use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Gain;
use Headroom\Preload\GeneratedList;
use Headroom\Preload\Mode;
use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Strategy;
use PHPUnit\Framework\Assert;

/**
 * The documents of commands that measure for minutes, made without a measurement.
 */
final readonly class ReportJson
{
    public function of(string $command): string
    {
        return match ($command) {
            'headroom:preload' => json_encode(
                (new GeneratedReport(self::generated(), '/p.php', 'www-data', 1.0))->toArray(),
                JSON_THROW_ON_ERROR,
            ),
            'headroom:bench:preload' => json_encode(
                (new BenchReport(Machine::describe('', new SystemClock), [], [self::finding()]))->toArray(),
                JSON_THROW_ON_ERROR,
            ),
            'headroom:bench:queues' => json_encode(
                (new QueuesDocument(
                    [...Machine::describe('', new SystemClock), 'laravel' => '', 'cache_store' => ''],
                    new BenchOptions,
                    ['empty' => self::queues()],
                ))->toArray(),
                JSON_THROW_ON_ERROR,
            ),
            'headroom:preload:status' => json_encode(
                (new PreloadStatus(
                    '/p.php',
                    null,
                    [['pool' => 'www', 'php' => null, 'classes' => 0, 'files' => 0, 'problems' => []]],
                    [],
                    new ObservedRequests,
                ))->toArray(),
                JSON_THROW_ON_ERROR,
            ),
            default => Assert::fail("{$command} has --json: say here how to run it."),
        };
    }

    private static function finding(): PreloadFinding
    {
        $one = new Samples([1]);
        $same = PairedComparison::of([1], [1]);

        return new PreloadFinding(
            'hot',
            new PoolFacts(0, 0, 0, 0, 0, 0, 0, 0),
            $one,
            $one,
            $one,
            $same,
            ['GET /posts' => new PageCost($one, $one, $same, 0.0, false)],
            ['GET /posts' => new PageRate($one, $same, $one, $one)],
            [],
        );
    }

    private static function queues(): Findings
    {
        $probed = new ProbeResult(1.0, 1.0);
        $outcome = new Outcome(
            1,
            1,
            1.0,
            1,
            [[0.0, 1]],
            [],
            [Fault::leftBehind(1)],
            ['before' => $probed, 'after' => $probed],
            ['busy' => 1.0, 'stolen' => 0.0],
            [],
        );

        return new Findings([new QueueFinding(
            new Variant(
                'redis',
                new DriverFacts(
                    'SQLite',
                    Durability::EachJob,
                    [
                        'journal_mode' => 'wal',
                        'synchronous' => '2',
                        'busy_timeout' => '60000',
                        'transaction_mode' => 'DEFERRED',
                    ],
                    ['one worker'],
                ),
                (new BenchOptions)->workload(),
            ),
            [$outcome],
            1,
        )]);
    }

    private static function generated(): GeneratedList
    {
        return new GeneratedList(
            Strategy::Hot,
            Mode::Compile,
            '/p.php',
            ['a.php'],
            1,
            1,
            1.0,
            1.0,
            [new DroppedClass('A', 'a.php', DropReason::Impure, 'b')],
            [],
            ['GET /posts' => 200],
            ['GET /broken' => 'it gives no answer'],
            [],
            new Gain(1.0, 1.0, 1.0),
            true,
            false,
            true,
            true,
        );
    }
}
