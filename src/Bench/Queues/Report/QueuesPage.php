<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Report\Format;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\KeyFigures;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;

/**
 * The results of a queue benchmark as a page.
 *
 * @internal
 */
final readonly class QueuesPage
{
    /**
     * @param non-empty-array<string, Findings> $findings by scenario
     * @param array<string, mixed> $machine
     */
    public function __construct(
        private array $findings,
        private BenchOptions $options,
        private array $machine,
    ) {}

    public function page(): Page
    {
        $sections = [];

        foreach ($this->findings as $scenario => $findings) {
            $case = Scenario::from($scenario);
            $sections[] = (new ScenarioSection($case, $findings))->draw();
        }

        return new Page(
            'Queue benchmark',
            "Real queue:work processes, {$this->workers()}, held back until the jobs are queued and released together."
                ." {$this->machine('date')}",
            [...$sections, $this->drivers(), $this->reading(), $this->about()],
        );
    }

    private function workers(): string
    {
        $all = array_map(
            static fn (Finding $finding): int => $finding->variant->workload->workers,
            array_merge(
                [],
                ...array_map(static fn (Findings $findings): array => $findings->all, array_values($this->findings)),
            ),
        );

        return Format::count($this->options->workers).' of them'
            .($this->options->workers > 1 && in_array(1, $all, true) ? ', where no row says one worker' : '');
    }

    private function drivers(): Section
    {
        $rows = [];

        foreach ($this->findings as $findings) {
            foreach ($findings->all as $finding) {
                $name = $finding->variant->driver();
                $facts = $finding->variant->facts;
                $settings = implode(
                    ', ',
                    array_map(
                        static fn (string $key, string $value): string => "{$key} = {$value}",
                        array_keys($facts->settings),
                        $facts->settings,
                    ),
                );
                $rows[$name] = [
                    $name, $facts->software, $facts->durability->words(), $settings, implode('; ', $facts->notes),
                ];
            }
        }

        return new Section(
            'drivers',
            'Drivers and their durability',
            [new Table(['', 'server', 'jobs are', 'settings', 'notes'], array_values($rows))],
        );
    }

    private function reading(): Section
    {
        return new Section('reading', 'How to read it', [new BulletList([
            'A run is valid when each job ran exactly once, none is left in the queue, no worker ended, and the machine'
                .' was as fast as before. Others are listed and not averaged. A run on a slower machine is made'
                .' again, twice at most.',
            'It lasts from the release of the workers to the record of the last job, which the worker writes after'
                .' the job has left the queue.',
            'Drivers take turns within a round; each begins a round in its turn. Spread is the interquartile range as a'
                .' share of the median.',
            'Jobs do nothing, so the rate is that of the queue and of the loop of `queue:work`.'
                .' A worker runs at most 50 jobs of 20 ms a second with any queue.',
            'Workers, servers and the benchmark share one machine.',
        ])]);
    }

    private function about(): Section
    {
        return new Section('machine', 'Machine', [
            $this->facts(),
            Paragraph::note(
                'opcache on the command line is '
                    .($this->isCached()
                        ? 'on'
                        : 'off, as PHP ships it; workers compile their code once, when they start')
                    .'.',
            ),
        ]);
    }

    private function facts(): Block
    {
        $facts = [];

        foreach ([
            'cpu' => 'CPU',
            'cores' => 'cores',
            'memory_mb' => 'memory, MB',
            'kernel' => 'kernel',
            'php' => 'PHP',
            'laravel' => 'Laravel',
            'cache_store' => 'CACHE_STORE',
            'commit' => 'commit',
            'date' => 'date',
        ] as $key => $name) {
            $value = $this->machine[$key] ?? '';
            $this->machine($key) === ''
                ? null
                : $facts[] = [$name, is_int($value) ? Format::count($value) : $this->machine($key)];
        }

        return new KeyFigures(
            [
                ...$facts,
                ['workers', Format::count($this->options->workers)],
                ['jobs a run, at least', Format::count($this->options->jobs)],
                ['seconds a run, about', (string) $this->options->seconds],
            ],
            isSmall: true,
        );
    }

    private function machine(string $key): string
    {
        $value = $this->machine[$key] ?? '';

        return is_scalar($value) ? (string) $value : '';
    }

    private function isCached(): bool
    {
        $ini = $this->machine['ini'] ?? [];

        return is_array($ini) && ($ini['opcache.enable_cli'] ?? '') === '1';
    }
}
