<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use Headroom\Tests\Architecture\Files;
use Symfony\Component\Process\Process;

/**
 * How high each count may be, in counts.json. A budget is lowered by `make counts WRITE=1`, and raised by none.
 */
final readonly class Budgets
{
    public const FILE = 'tests/Architecture/counts.json';

    private const MOST_SHOWN = 20;

    /** Code is added before the code that it replaces is removed. */
    private const STEP_OF_LINES = 1000;

    /** @param array<string, array{budget: int, aim: int|null}> $budgets null where the count has no aim */
    public function __construct(public array $budgets) {}

    public static function read(): self
    {
        /** @var array<string, array{budget: int, aim: int|null}> $budgets */
        $budgets = json_decode(Files::read(self::FILE), true, flags: JSON_THROW_ON_ERROR);

        return new self($budgets);
    }

    /** @param list<Count> $counts */
    public function lowered(array $counts): self
    {
        $budgets = $this->budgets;

        foreach ($counts as $count) {
            if ($count->isBudgeted) {
                $before = $budgets[$count->name] ?? ['budget' => PHP_INT_MAX, 'aim' => 0];
                $budgets[$count->name] = ['budget' => min($before['budget'], self::roomFor($count))] + $before;
            }
        }

        return new self($budgets);
    }

    /**
     * @param list<Count> $counts
     * @param list<string> $changed paths whose offenders are shown first
     * @return list<string> what is wrong, a paragraph each
     */
    public function breaches(array $counts, array $changed = []): array
    {
        $wrong = [];
        $counted = [];

        foreach ($counts as $count) {
            $counted[$count->name] = true;
            $budget = $this->budgets[$count->name]['budget'] ?? null;

            if ($count->isBudgeted && $budget === null) {
                $wrong[] = "{$count->name} is {$count->value} and has no budget. Run `make counts WRITE=1`.";
            } elseif ($count->isBudgeted && $count->value > $budget) {
                $wrong[] = implode("\n    ", [
                    "{$count->name} is {$count->value}, above its budget of {$budget}:",
                    ...self::worst($count, $changed),
                ]);
            }
        }

        foreach (array_keys(array_diff_key($this->budgets, $counted)) as $name) {
            $wrong[] = "{$name} has a budget in ".self::FILE.' and is not counted.';
        }

        return $wrong;
    }

    /** @return list<string> files that differ from the commit that last changed the budgets */
    public static function changedSince(): array
    {
        $commit = trim(self::git('log', '-1', '--format=%H', '--', self::FILE));
        $changed = $commit === '' ? '' : self::git('diff', '--name-only', $commit);

        return explode("\n", trim($changed.self::git('ls-files', '--others', '--exclude-standard')));
    }

    public function write(): void
    {
        $lines = [];

        foreach ($this->budgets as $name => $budget) {
            $aim = $budget['aim'] ?? 'null';
            $lines[] = "    \"{$name}\": {\"budget\": {$budget['budget']}, \"aim\": {$aim}}";
        }

        file_put_contents(Files::root().'/'.self::FILE, "{\n".implode(",\n", $lines)."\n}\n");
    }

    private static function git(string ...$arguments): string
    {
        $process = new Process(['git', ...array_values($arguments)], Files::root());
        $process->run();

        return $process->getOutput();
    }

    private static function roomFor(Count $count): int
    {
        return str_starts_with($count->name, 'lines.')
            ? (intdiv($count->value + intdiv(self::STEP_OF_LINES, 2), self::STEP_OF_LINES) + 1) * self::STEP_OF_LINES
            : $count->value;
    }

    /**
     * @param list<string> $changed
     * @return list<string>
     */
    private static function worst(Count $count, array $changed): array
    {
        $isNew = static fn (string $offender): bool => in_array(explode(':', $offender)[0], $changed, true);
        $new = array_filter($count->offenders, $isNew);
        $ordered = [...$new, ...array_diff_key($count->offenders, $new)];
        $more = count($ordered) - self::MOST_SHOWN;

        return [...array_slice($ordered, 0, self::MOST_SHOWN), ...($more > 0 ? ["and {$more} more"] : [])];
    }
}
