<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

/**
 * How often each name was seen, in bounded memory: when there are too many names, the rarer half of them goes into one
 * number. A name that is rare first and frequent later may therefore be counted too low, never too high.
 *
 * @internal
 */
final class FrequencyTable
{
    private const LONGEST_NAME = 240;

    /** @var array<array-key, int> */
    private array $counts = [];

    private int $others = 0;

    private int $total = 0;

    /** @param int<2, max> $most names that are kept */
    public function __construct(private readonly int $most = 4_096) {}

    public function add(string $name): void
    {
        $this->total++;

        // Almost always it is there already.
        if (isset($this->counts[$name])) {
            $this->counts[$name]++;

            return;
        }

        $name = strlen($name) > self::LONGEST_NAME ? substr($name, 0, self::LONGEST_NAME) : $name;
        $this->counts[$name] = ($this->counts[$name] ?? 0) + 1;

        if (count($this->counts) > $this->most) {
            $this->forgetTheRare();
        }
    }

    public function total(): int
    {
        return $this->total;
    }

    public function count(string $name): int
    {
        return $this->counts[$name] ?? 0;
    }

    /** The number that was counted without a name. */
    public function others(): int
    {
        return $this->others;
    }

    /**
     * @param ?int $of what shares are of, where not everything has a name; all that were added when null
     * @return list<FrequencyRow> the most frequent first, those of the same count by name
     */
    public function ranking(int $most = PHP_INT_MAX, ?int $of = null): array
    {
        $of = max(1, $of ?? $this->total);
        $ranked = [];

        foreach ($this->counts as $name => $count) {
            $ranked[] = new FrequencyRow((string) $name, $count, $count / $of);
        }

        usort(
            $ranked,
            static fn (FrequencyRow $a, FrequencyRow $b): int => [$b->count, $a->name] <=> [$a->count, $b->name],
        );

        return array_slice($ranked, 0, $most);
    }

    /** @return list<FrequencyRow> by name */
    public function inOrder(): array
    {
        $ranked = $this->ranking();
        usort($ranked, static fn (FrequencyRow $a, FrequencyRow $b): int => $a->name <=> $b->name);

        return $ranked;
    }

    private function forgetTheRare(): void
    {
        arsort($this->counts);
        $kept = array_slice($this->counts, 0, intdiv($this->most, 2), true);
        $this->others += array_sum($this->counts) - array_sum($kept);
        $this->counts = $kept;
    }
}
