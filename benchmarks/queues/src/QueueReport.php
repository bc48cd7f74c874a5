<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Queues\QueuesPage;
use Headroom\Bench\Queues\Saved;
use Headroom\Bench\Queues\Scenario;
use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\MeasuredOn;
use Headroom\Benchmarks\PageFile;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * The report of a results file. The same results make the same page.
 */
final readonly class QueueReport
{
    private function __construct(private Piece $parts, private bool $isQuick) {}

    /**
     * Makes queues.html of queues.json.
     *
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $path): string
    {
        return PageFile::beside($path, static fn (): string => self::of(ResultsText::read($path, 'queues'))->html());
    }

    /** @throws UnableToReadResults */
    public static function of(Piece $results): Page
    {
        return (new self($results->at('parts'), $results->has('quick') && $results->isTrue('quick')))->page();
    }

    private function page(): Page
    {
        $findings = $more = [];
        $first = null;

        foreach (Scenario::cases() as $scenario) {
            $part = $this->parts->find($scenario->value);

            if ($part !== null) {
                $first ??= $part;
                $findings[$scenario->value] = Saved::findings($part->at('figures'));
            }
        }

        if ($first === null || $findings === []) {
            throw $this->parts->wrong(Scenario::Empty->value, 'at least this part or another scenario');
        }

        $byHand = $this->parts->find('by-hand');
        isset($findings['empty']) && $more[] = Article::section($findings['empty']);
        $byHand === null || $more[] = Comparison::of($byHand->at('figures'))->draw();
        $page = (new QueuesPage(
            $findings,
            Saved::given($first->at('figures', 'given')),
            self::machine($first->at('machine')),
            Article::references(),
            [...$more, $this->commits()],
        ))->page();

        return $this->isQuick
            ? new Page($page->title, $page->what, [
                new Section(
                    'quick',
                    'A quick run',
                    [new Paragraph(
                        'Its runs are few and short. It shows that everything works; its figures are no results.',
                    )],
                    Tone::Alert,
                ),
                ...$page->sections,
            ])
            : $page;
    }

    /** @return array<string, int|string|array<string, string>> */
    private static function machine(Piece $machine): array
    {
        $on = MeasuredOn::of($machine);
        $of = static fn (string $key): string => $machine->has($key) ? $machine->text($key) : '';

        return [
            'cpu' => $on->cpu,
            'cores' => $on->cores,
            'memory_mb' => $on->memoryMegabytes,
            'kernel' => $on->kernel,
            'php' => $on->php,
            'ini' => $on->ini,
            'laravel' => $of('laravel'),
            'cache_store' => $of('cache_store'),
            'commit' => $on->commit,
            'date' => $on->date,
        ];
    }

    private function commits(): Section
    {
        $lines = [];

        foreach ($this->parts->all() as $name => $part) {
            $machine = MeasuredOn::of($part->at('machine'));
            $lines[] = [$name, $machine->commit, $machine->date, "{$machine->hardware()}, PHP {$machine->php}"];
        }

        return new Section(
            'parts',
            'Commit and date of each part',
            [new Table(['', 'commit', 'date', 'machine'], $lines)],
        );
    }
}
