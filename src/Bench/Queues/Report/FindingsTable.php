<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\SpreadExplanation;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Report\Format;
use Headroom\Report\TextTable;

/**
 * The findings of a scenario, for a terminal. Rows of equal durability are grouped, the fastest first, because the
 * groups do different work.
 *
 * @internal
 */
final readonly class FindingsTable
{
    /** Names of styles by the lines that have them. */
    public const STYLES = ['/ (jobs\/s|p50 ms|jobs +ran) .* twice\b/' => 'heading'];

    private const WIDTH = 80;

    public function __construct(private Scenario $scenario, private Findings $findings) {}

    /** @return list<string> */
    public function lines(): array
    {
        $lines = self::wrapped($this->scenario->question());

        foreach ($this->findings->byDurability() as $durability => $group) {
            $table = $this->heading($durability);
            $above = '';

            foreach ($group as $finding) {
                $driver = $finding->variant->driver();

                // A long name would be cut at its end, which is the part that the rows of a driver differ in.
                if (! in_array($driver, [$above, $finding->variant->name], true)) {
                    $table = $table->with($driver);
                }

                $above = $driver;
                $table = $table->with(...$this->row($finding));
            }

            array_push($lines, '', ...$table->lines());
        }

        return [...$lines, ...$this->notes()];
    }

    private function heading(string $durability): TextTable
    {
        $first = Durability::from($durability)->words();

        return TextTable::of(match (true) {
            $this->scenario->isAboutFates() => [$first, 'jobs', 'ran', 'twice', 'lost', 'failed'],
            $this->scenario === Scenario::Arrivals => [
                $first, 'p50 ms', 'p90 ms', 'p99 ms', 'longest', 'valid', 'lost', 'twice',
            ],
            default => [$first, 'jobs/s', 'p25', 'p75', 'spread', 'valid', 'lost', 'twice'],
        });
    }

    /** @return list<string> */
    private function row(Finding $finding): array
    {
        $summary = $finding->summary();
        $valid = "{$summary['valid_runs']}/{$summary['runs']}";
        $fates = [Format::count($summary['lost']), Format::count($summary['double'])];
        $driver = $finding->variant->driver();
        $label = $finding->variant->label();
        $name = $finding->variant->name === $driver ? $label : '  '.substr($label, strlen("{$driver}, "));

        if ($this->scenario->isAboutFates()) {
            if ($finding->refused !== '' || $finding->outcomes === []) {
                return [$name, 'refused', '-', '-', '-', '-'];
            }

            $executions = array_sum(array_map(
                static fn (Outcome $outcome): int => $outcome->executions,
                $finding->outcomes,
            ));
            $jobs = array_sum(array_map(static fn (Outcome $outcome): int => $outcome->jobs, $finding->outcomes));

            return [
                $name,
                Format::count($jobs),
                Format::count($executions),
                Format::count($summary['double']),
                Format::count($summary['lost']),
                Format::count($summary['failed']),
            ];
        }

        if ($this->scenario === Scenario::Arrivals) {
            $waits = $finding->waits();

            return [
                $name,
                ...array_map(
                    static fn (float $q): string
                        => $waits === null ? '-' : Format::millis(1_000 * $waits->quantile($q)),
                    [0.5, 0.9, 0.99, 1.0],
                ),
                $valid,
                ...$fates,
            ];
        }

        $rates = $finding->rates();

        return $rates === null
            ? [$name, $finding->refused === '' ? 'not valid' : 'refused', '-', '-', '-', $valid, ...$fates]
            : [
                $name,
                ...array_map(
                    static fn (float $q): string => Format::significant($rates->quantile($q)),
                    [0.5, 0.25, 0.75],
                ),
                $summary['iqr_share'] === null ? '-' : sprintf('%.0f %%', 100 * $summary['iqr_share']),
                $valid,
                ...$fates,
            ];
    }

    /** @return list<string> */
    private function notes(): array
    {
        $notes = $this->scenario->isAboutFates() ? (new SlowJobs($this->findings))->words() : [];

        if (! $this->findings->isAlikeDurable() && ! $this->scenario->isAboutFates()) {
            $notes[] = 'Drivers that keep jobs on disk and drivers that do not do different work:'
                .' compare within a group.';
        }

        foreach ($this->findings->all as $finding) {
            $words = (new SpreadExplanation($finding))->words();
            $words === '' ? null : $notes[] = "{$finding->variant->name} has a wide spread: {$words}.";
            array_push($notes, ...$finding->notes($this->scenario->isAboutFates()));
        }

        // A server that is down gives the same reason for each of its rows.
        return $notes === []
            ? []
            : ['', ...array_merge([], ...array_map(self::wrapped(...), array_values(array_unique($notes))))];
    }

    /** @return list<string> */
    private static function wrapped(string $text): array
    {
        return explode("\n", wordwrap($text, self::WIDTH));
    }
}
