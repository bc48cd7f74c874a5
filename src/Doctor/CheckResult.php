<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A finding, and the text of the check that it comes from.
 *
 * @internal
 */
final readonly class CheckResult
{
    public function __construct(public CheckText $check, public Finding $finding) {}

    /** Stays the same from run to run while the numbers change: baselines and --ignore use it. */
    public function key(): string
    {
        return $this->finding->subject === ''
            ? $this->check->id
            : "{$this->check->id} ".mb_scrub($this->finding->subject, 'UTF-8');
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'id' => $this->check->id,
            'title' => $this->check->title,
            'severity' => $this->check->severity->value,
            'layer' => $this->check->layer->value,
        ]
            + $this->finding->toArray()
            + ['minutes' => $this->check->minutes, 'sources' => $this->check->sources];
    }
}
