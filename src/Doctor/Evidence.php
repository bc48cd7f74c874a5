<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Closure;

/**
 * One thing that was seen.
 */
final readonly class Evidence
{
    /**
     * @param string $what a setting, a counter, or a sum of them
     * @param string $value as it stands there, with its unit
     * @param string $source where one looks to see it again: file:line, a command, a default of which version
     */
    public function __construct(public string $what, public string $value, public string $source) {}

    /**
     * With the command of its source as a user types it.
     *
     * @internal
     *
     * @param Closure(string): string $render
     */
    public function withUserCommands(Closure $render): self
    {
        return new self($this->what, $this->value, $render($this->source));
    }

    /** @return array{what: string, value: string, source: string} */
    public function toArray(): array
    {
        return ['what' => $this->what, 'value' => $this->value, 'source' => $this->source];
    }
}
