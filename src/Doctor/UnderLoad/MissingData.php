<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;

/**
 * Data that could not be read during an observation.
 *
 * @internal
 */
final readonly class MissingData
{
    /** @param string $command that would show it; '' if no command shows it */
    public function __construct(public string $what, public string $reason, public string $command = '') {}

    /** @param Closure(string): string $render returns a text with its commands as a user types them */
    public function withUserCommands(Closure $render): self
    {
        return new self($render($this->what), $render($this->reason), $render($this->command));
    }

    /** @return array{what: string, reason: string, command: string} */
    public function toArray(): array
    {
        return ['what' => $this->what, 'reason' => $this->reason, 'command' => $this->command];
    }
}
