<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Report\TextTable;

/**
 * The findings for a terminal.
 *
 * @internal
 */
final readonly class PreloadTable
{
    private const MEGABYTE = 1_000_000;

    public function __construct(private PreloadFindings $findings) {}

    /** @return list<string> */
    public function lines(): array
    {
        return [...$this->cpu()->lines(), '', ...$this->others()->lines()];
    }

    private function cpu(): TextTable
    {
        $pages = $this->findings->pages();
        $table = TextTable::of([
            'CPU of a worker',
            ...array_map(static fn (string $page): string => (string) preg_replace('~^GET .*/~', '', $page), $pages),
        ]);
        $all = $this->findings->all();
        $table = $table->with(
            "{$all[0]->variant}, ms",
            ...array_map(
                static fn (PageCost $cost): string => sprintf('%.2f', $cost->cpu->median() / 1_000),
                array_values($all[0]->costs),
            ),
        );

        foreach (array_slice($all, 1) as $finding) {
            $table = $table->with($finding->variant, ...array_map(self::change(...), array_values($finding->costs)));
        }

        return $table;
    }

    private function others(): TextTable
    {
        $table = TextTable::of(['', 'files', 'MB', 'worker MB', 'start ms', 'first ms', 'req/s', 'warned', 'changed']);

        foreach ($this->findings->all() as $finding) {
            $rate = array_values($finding->rates)[0] ?? null;
            $table = $table->with(
                $finding->variant,
                (string) $finding->facts->files,
                sprintf('%.1f', $finding->facts->preloadBytes / self::MEGABYTE),
                sprintf('%.1f', $finding->workerBytes->median() / self::MEGABYTE),
                sprintf('%.0f', $finding->startMillis->median()),
                sprintf('%.0f', $finding->firstMillis->median()),
                $rate === null ? '-' : sprintf('%.0f', $rate->perSecond->median()),
                (string) $finding->facts->warnings,
                (string) count($finding->changed),
            );
        }

        return $table;
    }

    /** A change that is smaller than its spread, or than that of a twin, is not seen. */
    private static function change(PageCost $cost): string
    {
        return match (true) {
            $cost->isChanged => 'another answer',
            ! $cost->isSeen() => 'none seen',
            default => sprintf('%+.1f %%', 100 * $cost->compared->change()),
        };
    }
}
