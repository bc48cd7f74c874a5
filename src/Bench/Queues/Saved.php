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
            $this->text('refused'),
        );
    }

    private function facts(): DriverFacts
    {
        return new DriverFacts($this->text('software'), Durability::tryFrom($this->text('durability')) ?? throw UnableToBench::unreadable("{$this->where}/durability", 'one that is known'), $this->at('settings')->texts(), array_values($this->at('notes')->texts()));
    }

    private function workload(): Workload
    {
        $whole = fn (string $key): ?int => ($this->content[$key] ?? null) === null ? null : (int) $this->number($key);
        $arrivals = $this->content['arrivals_per_s'] ?? null;

        return new Workload(max(1, (int) $this->number('jobs')), 0, max(1, (int) $this->number('workers')), $whole('counted'), max(0, (int) $this->number('payload_bytes')), max(0, (int) $this->number('job_ms')), $arrivals === null ? null : $this->number('arrivals_per_s'), $whole('retry_after_s'), max(0, (int) $this->number('tries')), $this->number('sleep_s'));
    }

    private function outcome(): Outcome
    {
        return new Outcome(
            max(1, (int) $this->number('jobs')),
            (int) $this->number('counted'),
            ($this->content['seconds'] ?? null) === null ? null : $this->number('seconds'),
            (int) $this->number('executions'),
            array_map(static fn (self $point): array => [$point->number('0'), (int) $point->number('1')], $this->list('depth')),
            array_values(array_map(static fn (mixed $wait): float => is_int($wait) || is_float($wait) ? (float) $wait : 0.0, $this->at('waits_ms')->content)),
            array_map(static fn (self $fault): Fault => Fault::of(FaultKind::tryFrom($fault->text('fault')) ?? throw UnableToBench::unreadable("{$fault->where}/fault", 'one that is known'), (int) $fault->number('count'), $fault->text('words')), $this->list('faults')),
            ['before' => $this->at('probe_before')->probed(), 'after' => $this->at('probe_after')->probed()],
            ['busy' => $this->at('cpu')->number('busy'), 'stolen' => $this->at('cpu')->number('stolen')],
            array_map(intval(...), $this->at('errors')->texts()),
        );
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

        foreach ($this->content as $key => $value) {
            $texts[(string) $key] = is_scalar($value) ? (string) $value : '';
        }

        return $texts;
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
}
