<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Report;

use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Report\QueuesPage;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Report\Page\Page;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\Drawn;
use Headroom\Tests\Unit\Bench\Queues\Made;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class QueuesPageTest extends TestCase
{
    #[Test]
    public function the_page_has_the_scenarios_and_each_driver_once(): void
    {
        $page = (new QueuesPage(
            [
                'empty' => new Findings([Made::fast(), Made::finding(Made::rates([1]))]),
                'cache' => new Findings([
                    Made::finding(Made::rates([1]), 'redis, CACHE_STORE=array'),
                    Made::finding(Made::rates([1]), 'redis, CACHE_STORE=file'),
                ]),
            ],
            new BenchOptions(5, 1.5, 3),
            [
                'cpu' => 'A CPU',
                'cores' => 2,
                'date' => '2026-01-02',
                'kernel' => ['no text'],
                'ini' => ['opcache.enable_cli' => '1'],
            ],
        ))->page();
        $sections = array_column($page->toArray()['sections'], null, 'id');

        self::assertSame(['empty', 'cache', 'drivers', 'reading', 'machine'], array_keys($sections));
        self::assertMatchesRegularExpression('/\bqueue:work\b\D+\b3\b\D+2026-01-02$/', $page->what);
        self::assertSame([
            ['beanstalkd', 'Redis 7.0', Durability::None->words(), 'appendfsync = everysec', 'a note'],
            ['redis', 'Redis 7.0', Durability::Seconds->words(), 'appendfsync = everysec', 'a note'],
        ], Drawn::cells(Drawn::find($sections['drivers'], 'grid')));
        self::assertSame(
            ['A CPU', '2', '2026-01-02', '3', '5', '1.5'],
            array_column((array) Drawn::find($sections['machine'], 'facts')['facts'], 1),
        );
        Snapshot::assertPrinted(
            'bench queues',
            'the page',
            (string) json_encode(
                [$page->what, $sections['reading'], $sections['machine']],
                JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
            ),
        );
    }

    #[Test]
    public function one_worker_is_not_taken_for_ten(): void
    {
        $page = static fn (int $workers, BenchOptions $options): Page => (new QueuesPage(
            ['empty' => new Findings([
                Made::finding(Made::rates([1])), $workers === 1 ? Made::alone(Made::fast()) : Made::fast(),
            ])],
            $options,
            [],
        ))->page();

        $all = [
            $page(1, new BenchOptions)->what,
            $page(10, new BenchOptions)->what,
            $page(1, new BenchOptions(workers: 1))->what,
        ];

        self::assertSame([[10], [10], [1]], array_map(Drawn::numbers(...), $all));
        self::assertNotSame($all[0], $all[1]);
        self::assertSame(str_replace('10', '1', $all[1]), $all[2]);
        Snapshot::assertPrinted('bench queues', 'the page, where some rows have one worker', $all[0]);
    }

    #[Test]
    public function thousands_are_apart(): void
    {
        $page = (new QueuesPage(
            ['empty' => new Findings([Made::fast()])],
            new BenchOptions(12_345, workers: 1_234),
            ['memory_mb' => 24_105, 'date' => '2026-01-02'],
        ))->page();
        $machine = Drawn::find(array_column($page->toArray()['sections'], null, 'id')['machine'], 'facts');

        self::assertSame(
            ['24,105', '2026-01-02', '1,234', '12,345'],
            array_slice(array_column((array) $machine['facts'], 1), 0, 4),
        );
    }

    #[Test]
    public function all_scenarios_together_are_one_page(): void
    {
        $findings = [];

        foreach (Scenario::cases() as $scenario) {
            $findings[$scenario->value] = new Findings([
                Made::finding([Made::nothing()]),
                Made::finding([], 'b', refused: "broken \xff"),
                Made::finding([Made::outcome(waits: [1.0])], 'c', Durability::Unknown),
            ]);
        }

        $page = (new QueuesPage($findings, new BenchOptions, []))->page();

        $sections = array_filter(array_column($page->toArray()['sections'], 'id'), is_string(...));
        self::assertSame([], array_diff(array_keys($findings), $sections));
        self::assertStringContainsString('page_data', $page->html());
    }
}
