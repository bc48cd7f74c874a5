<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * Findings as they were written, read again. What is asked for has to be there: a report that shows 0 for what was not measured lies.
 *
 * @internal
 */
final readonly class Saved
{
    /**
     * @param array<array-key, mixed> $content a piece of the document
     * @param string $where its place in it
     */
    private function __construct(private array $content, private string $where) {}

    /**
     * @param array<array-key, mixed> $findings what Findings::toArray() gave
     * @throws UnableToBench
     */
    public static function findings(array $findings, string $where): Findings
    {
        $all = array_map(static fn (self $one): Finding => $one->finding(), (new self(['findings' => $findings], $where))->list('findings'));

        return new Findings($all === [] ? throw UnableToBench::unreadable("{$where}/findings", 'a list with something in it') : $all);
    }

    private function finding(): Finding
    {
        return new Finding(
            new Variant($this->text('variant'), $this->at('driver')->facts(), $this->at('workload')->workload()),
            array_map(static fn (self $one): Outcome => $one->outcome(), $this->list('outcomes')),
            $this->whole('runs'),
            $this->text('refused'),
        );
    }

    private function facts(): DriverFacts
    {
        return new DriverFacts($this->text('software'), Durability::tryFrom($this->text('durability')) ?? throw UnableToBench::unreadable("{$this->where}/durability", 'one that is known'), $this->at('settings')->texts(), array_values($this->at('notes')->texts()));
    }

    private function workload(): Workload
    {
        return new Workload(
            max(1, $this->whole('jobs', 1)),
            0,
            max(1, $this->whole('workers', 1)),
            $this->isNull('counted') ? null : $this->whole('counted', 1),
            max(0, $this->whole('payload_bytes')),
            max(0, $this->whole('job_ms')),
            $this->isNull('arrivals_per_s') ? null : $this->number('arrivals_per_s'),
            $this->isNull('retry_after_s') ? null : $this->whole('retry_after_s'),
            max(0, $this->whole('tries')),
            $this->number('sleep_s'),
            $this->isTrue('quiet'),
        );
    }

    private function outcome(): Outcome
    {
        $waits = $this->at('waits_ms');

        return new Outcome(
            max(1, $this->whole('jobs', 1)),
            $this->whole('counted'),
            $this->isNull('seconds') ? null : $this->number('seconds'),
            $this->whole('executions'),
            array_map(static fn (self $point): array => [$point->number('0'), $point->whole('1')], $this->list('depth')),
            array_map(static fn (int|string $at): float => $waits->number((string) $at), array_keys($waits->content)),
            array_map(static fn (self $fault): Fault => $fault->fault(), $this->list('faults')),
            ['before' => $this->at('probe_before')->probed(), 'after' => $this->at('probe_after')->probed()],
            ['busy' => $this->at('cpu')->number('busy'), 'stolen' => $this->at('cpu')->number('stolen')],
            $this->at('errors')->counts(),
        );
    }

    private function fault(): Fault
    {
        return Fault::of(FaultKind::tryFrom($this->text('fault')) ?? throw UnableToBench::unreadable("{$this->where}/fault", 'one that is known'), $this->whole('count'), $this->text('words'));
    }

    private function probed(): Probed
    {
        return new Probed($this->number('cpu_us'), $this->number('fdatasync_us'));
    }

    private function at(string $key): self
    {
        $value = $this->content[$key] ?? null;

        return is_array($value) ? new self($value, "{$this->where}/{$key}") : throw UnableToBench::unreadable("{$this->where}/{$key}", 'a table');
    }

    /** @return list<self> */
    private function list(string $key): array
    {
        $list = $this->at($key);

        return array_map(static fn (int|string $at): self => $list->at((string) $at), array_keys($list->content));
    }

    /** @return array<string, string> */
    private function texts(): array
    {
        $texts = [];

        foreach (array_keys($this->content) as $key) {
            $texts[(string) $key] = $this->text((string) $key);
        }

        return $texts;
    }

    /** @return array<string, int> */
    private function counts(): array
    {
        $counts = [];

        foreach (array_keys($this->content) as $key) {
            $counts[(string) $key] = $this->whole((string) $key);
        }

        return $counts;
    }

    /** What is left out is not null: it may have been forgotten. */
    private function isTrue(string $key): bool
    {
        $value = $this->content[$key] ?? null;

        return is_bool($value) ? $value : throw UnableToBench::unreadable("{$this->where}/{$key}", 'true or false');
    }

    private function isNull(string $key): bool
    {
        return array_key_exists($key, $this->content) ? $this->content[$key] === null : throw UnableToBench::unreadable("{$this->where}/{$key}", 'a number or null');
    }

    private function text(string $key): string
    {
        $value = $this->content[$key] ?? null;

        return is_string($value) ? $value : throw UnableToBench::unreadable("{$this->where}/{$key}", 'text');
    }

    private function number(string $key): float
    {
        $value = $this->content[$key] ?? null;

        return (is_int($value) || is_float($value)) && is_finite($value) ? (float) $value : throw UnableToBench::unreadable("{$this->where}/{$key}", 'a number');
    }

    private function whole(string $key, int $least = 0): int
    {
        $value = $this->content[$key] ?? null;

        return is_int($value) && $value >= $least ? $value : throw UnableToBench::unreadable("{$this->where}/{$key}", "a whole number from {$least}");
    }
}
