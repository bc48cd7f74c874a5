<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A finding and the rule it is about.
 *
 * @internal
 */
final readonly class CheckResult
{
    public function __construct(public Rule $rule, public Finding $finding) {}

    /** Stays the same from run to run, whatever the numbers are: for baselines and for what to ignore. */
    public function key(): string
    {
        return $this->finding->subject === ''
            ? $this->rule->id
            : "{$this->rule->id} ".mb_scrub($this->finding->subject, 'UTF-8');
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'id' => $this->rule->id,
            'title' => $this->rule->title,
            'severity' => $this->rule->severity->value,
            'layer' => $this->rule->layer->value,
        ]
            + $this->finding->toArray()
            + ['minutes' => $this->rule->minutes, 'sources' => $this->rule->sources];
    }
}
